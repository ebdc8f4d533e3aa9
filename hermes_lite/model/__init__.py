"""The model: found, spoken to over the OpenAI-compatible API, and priced. `client` is the face that the loop sees."""
