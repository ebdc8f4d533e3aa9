"""What everyday words of software mean to one another: plain tables, no code.

Words of one line may stand for each other in a query; `_` joins the words of a phrase. The tables hold general
language (English, and the Japanese and Chinese that people mix with English tools), abbreviations and the usual
names of things. They never name a particular tool: a catalogue must not be needed to write them.
`words` reads them; what a stand-in is worth is `ranking`'s business.
"""

VIEWS = """
list show all available enumerate ls see which 一覧 リスト 表示 見る 列表 列出 显示 展示 所有
get fetch read retrieve show view load obtain see display lookup look_up describe 取得 読む 読み取り 表示 確認 获取 读取 查看 显示 查询
"""

ACTIONS = """
create add new make insert compose build generate write register 作成 新規 追加 登録 作る 新建 创建 添加 增加 新增 生成
insert embed place add 挿入 插入
write save store record put remember append 保存 書く 書き込む 記録 写入 写 存储 记录 记住
delete remove drop destroy erase purge clear trash uninstall forget rm 削除 消す 消去 删除 移除 清除 清空
update edit modify change set patch alter adjust rewrite 更新 編集 変更 修正 编辑 修改 变更 设置
rename name title 改名 重命名
search find query lookup look_up locate look discover 検索 探す 調べる 搜索 查询 查找 搜寻 检索 查
filter select where 絞り込み 筛选 过滤
send post deliver 送信 送る 发送 发 寄
post publish share announce 投稿 公開 发布 发表
move transfer relocate mv 移動 移动 转移 迁移
copy duplicate clone replicate cp 複製 コピー 复制 拷贝 克隆
run execute start launch trigger invoke perform 実行 起動 開始 运行 执行 启动 开始
start begin boot open launch resume 開始 起動 启动 打开
rerun retry restart redo 再実行 再起動 重启 重试
stop cancel abort terminate kill end halt quit 停止 キャンセル 中止 終了 取消 终止 停
close complete finish resolve done archive 完了 閉じる クローズ 关闭 完成 解决
open reopen 開く オープン 打开
open visit navigate goto browse load access 開く 移動 アクセス 打开 访问 导航 跳转
download save export fetch 下载 ダウンロード
upload attach import put 上传 アップロード 添付
import load ingest 取り込み インポート 导入
export dump save extract 書き出し エクスポート 导出
convert transform export encode change transcode 変換 转换 转成 转化
merge combine join concatenate concat 結合 マージ 合并 拼接
split cut divide trim crop 分割 切り取り 拆分 剪切 裁剪
resize scale compress shrink 縮小 圧縮 压缩 缩放
extract scrape parse pull 抽出 提取 抓取
scrape crawl fetch extract スクレイピング クロール 爬取 抓取
replace substitute edit 置換 替换
compare diff difference 比較 比较 对比 差分
count total number sum 数 件数 合計 数量 总数 统计
calculate compute evaluate 計算 计算 算
analyze analyse analysis inspect examine evaluate 分析 解析
check validate verify test inspect lint 確認 検証 チェック 检查 验证 校验
monitor watch track observe 監視 追跡 监控 跟踪 追踪
assign delegate allocate 割り当て 担当 分配 指派
invite add join 招待 邀请
share grant permission invite 共有 共享 分享
reply respond answer rsvp 返信 回复 答复
forward redirect 転送 转发
schedule book reserve plan appointment 予約 スケジュール 预约 预订 预定 安排
buy purchase order checkout 購入 注文 购买 下单
pay charge payment 支払い 決済 支付 付款
translate translation 翻訳 翻译
summarize summarise summary digest 要約 总结 摘要
explain describe 説明 解释 说明
approve accept confirm 承認 批准 同意 审批
reject decline deny 却下 拒否 拒绝 驳回
enable activate turn_on switch_on 有効 オン 启用 打开 开启
disable deactivate turn_off switch_off 無効 オフ 禁用 关闭
lock protect ロック 锁定
click tap press push クリック 点击 单击
type input fill enter write 入力 输入 填写
fill complete enter populate 入力 填写
drag drop ドラッグ 拖拽 拖动
scroll swipe スクロール 滚动
wait sleep pause delay 待つ 待機 等待
capture screenshot snapshot take_screenshot スクリーンショット 截图 截屏
plot draw chart visualize visualise graph グラフ 图表 画图 绘制
login signin sign_in authenticate authorize auth ログイン 認証 登录 认证 授权
logout signout sign_out ログアウト 退出 登出
connect attach link join 接続 连接
link associate connect relate attach 紐付け リンク 关联 链接
subscribe follow watch 購読 フォロー 订阅 关注
install setup set_up add インストール 安装
deploy release publish rollout ship デプロイ 部署 发布 上线
rollback revert undo restore reset 元に戻す 回滚 撤销 恢复
restore recover undelete 復元 恢复 还原
backup dump snapshot バックアップ 备份
sort order rank 並べ替え 排序
group aggregate summarize グループ 聚合 分组
recommend suggest suggestion recommendation おすすめ 推荐 建议
rate score review 評価 评分 评价
react reaction emoji like リアクション 表情 点赞
save bookmark favorite star お気に入り 收藏
simulate emulate throttle mock シミュレート 模拟
think reason reasoning 思考 考える 推理
refresh reload rebuild sync 再読み込み 刷新 重新加载 同步
sync synchronize synchronise 同期 同步
notify alert notification remind 通知 提醒
call dial phone 電話 打电话 通话
play listen 再生 播放
predict forecast estimate 予測 预测 预报
optimize improve tune 最適化 优化
debug troubleshoot diagnose デバッグ 调试 诊断
"""

OBJECTS = """
email mail e-mail inbox メール 電子メール 邮件 电子邮件 邮箱
message msg chat text メッセージ 消息 信息 短信
sms text_message 短信 ショートメッセージ
draft unsent 下書き 草稿
thread conversation discussion replies スレッド 会話 会话 对话
issue ticket bug defect story 課題 イシュー チケット 问题 工单 缺陷
task todo to-do reminder job タスク 任务 待办 作业
project プロジェクト 案件 项目
milestone epic sprint マイルストーン 里程碑 迭代
board kanban ボード 看板
file ファイル 文件
document doc docs docx file word 文書 ドキュメント 文档
documentation docs manual reference guide ドキュメント 文档 手册
folder directory dir フォルダ フォルダー ディレクトリ 文件夹 目录
repository repo リポジトリ 仓库 代码库
pull_request pr merge_request mr プルリクエスト 合并请求 拉取请求
diff patch change 差分 差异 变更
database db データベース 数据库
table relation テーブル 表 数据表 表格
table chart grid 表 表格
row record entry item レコード 行 记录
column field attribute property カラム 列 字段 フィールド 属性 プロパティ
schema structure definition columns describe スキーマ 構造 结构 模式
query sql statement select クエリ 查询
index インデックス 索引
collection コレクション 集合
key キー 键
cache キャッシュ 缓存
spreadsheet excel workbook xlsx xls worksheet sheet スプレッドシート エクセル 表格 电子表格
sheet worksheet tab シート 工作表
cell range セル 单元格
formula function 数式 公式
chart graph plot diagram チャート グラフ 图表
slide presentation powerpoint ppt pptx deck スライド パワーポイント プレゼンテーション 幻灯片 演示文稿
heading title header 見出し タイトル 标题
paragraph text 段落 文字
calendar cal event カレンダー 日历 日程
availability available free freebusy busy 空き 空き時間 空闲 忙闲
due deadline overdue 期限 締切 截止 到期
event meeting appointment schedule calendar イベント 予定 会議 事件 活动 会议 日程
user member person people profile ユーザー メンバー 用户 成员 人员
contact people person address_book 連絡先 联系人 通讯录
customer client buyer 顧客 お客様 客户 顾客
employee staff worker 社員 従業員 员工 职员
team organization organisation org workspace group チーム 組織 团队 组织 群组
group channel room グループ 群 群聊 群组
channel room conversation チャンネル チャネル 频道 聊天室
comment reply note remark コメント 评论 注释 批注
note notes memo ノート メモ 笔记 备忘录 便签
page webpage web_page ページ 页面 网页
website site web domain webpage サイト ウェブ ウェブサイト 网站 网页
web internet online ウェブ ネット 网络 网上 互联网
url link address uri webpage リンク 链接 网址
markdown md マークダウン
image picture photo img pic 画像 写真 図 图片 图像 照片
video movie clip film 動画 ビデオ 视频 影片
audio sound voice speech music 音声 オーディオ 音频 声音 语音
music song track playlist 音楽 曲 音乐 歌曲
screenshot screen snapshot スクリーンショット 画面 截图 屏幕
weather forecast temperature climate 天気 天気予報 気温 天气 气温 天气预报
map maps location 地図 マップ 地图
location place address position coordinates geocode 場所 位置 住所 地点 地址 坐标
business restaurant shop store place poi 店 お店 店舗 商店 商家
nearby near around local 近く 周辺 附近 周边
route direction directions navigation path ルート 経路 路线 路径 导航
driving drive car 運転 車 驾车 开车 自驾
walking walk pedestrian 徒歩 步行 走路
cycling bicycle bike biking 自転車 骑行 自行车
bus transit metro subway 公共交通 バス 地铁 公交
train railway rail 電車 列車 鉄道 火车 高铁 列车 铁路
ticket seat fare 切符 チケット 票 车票 余票
station stop 駅 车站 站
flight airline plane airfare airport 航空 フライト 飛行機 航班 机票 飞机
hotel accommodation lodging stay ホテル 宿泊 酒店 住宿
travel trip tour journey vacation 旅行 旅游 行程
distance length measure 距離 距离 测距
time clock now hour 時刻 時間 时间 时刻
date day calendar 日付 日期
current now present latest today 現在 今 当前 现在
timezone time_zone tz タイムゾーン 时区
price cost pricing rate fee 価格 料金 費用 值段 价格 费用 报价
estimate quote quotation 見積もり 见积 估算 报价
invoice bill receipt 請求書 发票 账单
payment charge transaction pay 支払い 決済 付款 支付
transaction deal trade entry 取引 交易
refund chargeback repay 返金 退款
subscription plan membership サブスクリプション 定期 订阅
coupon discount promotion クーポン 割引 优惠券 折扣
balance account funds 残高 余额
bank account 銀行 口座 银行 账户
account アカウント 账户 账号 帐号
currency exchange forex money 通貨 為替 货币 汇率
stock stocks equity ticker 株 株価 株式 股票 行情
cryptocurrency crypto coin bitcoin 暗号資産 仮想通貨 加密货币
order purchase 注文 订单
product item goods merchandise 商品 製品 产品
cart basket カート 购物车
company business corporation firm 会社 企業 公司 企业
sale sales revenue 売上 销售
news article headline story ニュース 記事 新闻 文章
log logs record ログ 日志
error exception failure fail bug エラー 失敗 错误 异常 失败
metric metrics statistics stats measurement usage メトリクス 指標 统计 指标
analytics statistics insight report アナリティクス 分析 统计
alert alarm warning incident アラート 警告 アラーム 告警 警报 报警
incident outage インシデント 障害 事件 故障
notification alert 通知
on-call oncall オンコール 值班
report summary レポート 報告 报告 报表
dashboard panel ダッシュボード 仪表盘 仪表板
container コンテナ 容器
image イメージ 镜像
volume disk storage ボリューム 存储卷
network ネットワーク 网络
pod workload ポッド
cluster クラスター クラスタ 集群
server host machine サーバー サーバ 服务器 主机
instance vm virtual_machine インスタンス 实例 虚拟机
secret credential password token vault シークレット 秘密 密钥 凭证
password passcode パスワード 密码
setting settings configuration config preference option 設定 设置 配置 选项
environment env 環境 环境
variable var 変数 变量
branch ブランチ 分支
commit revision change コミット 提交
tag label タグ ラベル 标签
release version リリース 版本 发行
version revision release バージョン 版本
code source snippet コード ソース 代码 源码
function method procedure 関数 函数
library package module dependency ライブラリ 库 包 依赖
review critique レビュー 评审 审查 审核
status state condition ステータス 状態 状态
build compile ビルド 构建 编译
pipeline workflow ci job パイプライン ワークフロー 流水线 工作流
workflow automation flow ワークフロー 自動化 工作流 自动化 流程
test testing spec テスト 测试
history log past previous recent 履歴 历史 记录 历史记录
recent latest last new newest 最近 最新
detail details info information 詳細 情報 详情 信息 详细
content contents body text 内容 本文
permission access role right privilege 権限 权限 角色
attachment 添付 添付ファイル 附件
template boilerplate テンプレート 模板
form フォーム 表单
dropdown select option picker ドロップダウン 下拉
unread new 未読 未读
button ボタン 按钮
element node component 要素 エレメント 元素 控件
browser chrome browser_tab ブラウザ ブラウザー 浏览器
tab window タブ 标签页 窗口
terminal shell command bash cmd cli ターミナル コマンド 终端 命令 命令行
process task プロセス 进程
memory knowledge メモリ 記憶 记忆 内存
entity node object エンティティ 实体
relation relationship edge link 関係 关系
knowledge wiki 知識 ナレッジ 知识 知识库
model モデル 模型
device gadget hardware デバイス 機器 设备
phone mobile smartphone 携帯 スマホ 手机
simulator emulator シミュレーター 模拟器
app application program アプリ アプリケーション 应用 应用程序 程序
light lamp bulb 照明 ライト 電気 灯 灯光
temperature thermostat heating 温度
music media player 音楽 媒体
sensor センサー 传感器
recipe dish meal cooking food レシピ 料理 菜谱 食谱 菜 做法
food meal nutrition diet ingredient 食べ物 食品 食物 营养 食材
restaurant dining レストラン 餐厅 饭店
movie film cinema 映画 电影
game ゲーム 游戏
sport match league team スポーツ 试合 体育 比赛
book novel literature 本 書籍 书 书籍 图书
language tongue 言語 语言
word term vocabulary 単語 单词 词语
definition dictionary meaning 定義 辞書 定义 词典 字典
text string テキスト 文本 文字
number digit integer figure 数字 番号 号码
name title 名前 名称 名字
id identifier 番号 编号
position rank ranking 順位 ランキング 排名 榜单
keyword term キーワード 关键词
click clicks クリック数 点击量
turn_on switch_on enable
turn_off switch_off disable
traffic visitor visit トラフィック 流量 访问量
sitemap サイトマップ 站点地图
job career position vacancy employment 仕事 求人 工作 职位 招聘
school university college education 学校 大学 教育
course lesson class 授業 コース 课程
health medical medicine doctor 健康 医療 健康 医疗
insurance 保険 保险
law legal lawyer attorney 法律 律师
car vehicle automobile auto 車 自動車 汽车 车辆
house home property real_estate 家 住宅 不動産 房屋 房产
gift present プレゼント 礼物
child kid children 子供 孩子 儿童
lunar calendar almanac 旧暦 农历 黄历
fortune horoscope bazi astrology 占い 運勢 八字 命理 运势
user_interface ui design デザイン 设计 界面
component widget コンポーネント 组件
font typeface フォント 字体
color colour 色 颜色
data dataset データ 数据
backup バックアップ 备份
storage bucket ストレージ 存储 桶
queue topic キュー 队列
subscription topic
function lambda serverless
security vulnerability threat セキュリティ 安全 漏洞
accessibility a11y アクセシビリティ 无障碍
performance speed perf latency パフォーマンス 性能 速度
slow latency long performance 遅い 慢
plan explain 計画 计划 方案
campaign ad advertisement 広告 广告 活动
lead prospect opportunity deal リード 商談 线索 商机
survey questionnaire poll アンケート 问卷 投票
domain dns hostname ドメイン 域名
certificate ssl tls 証明書 证书
ip ip_address IPアドレス
model 3d mesh
scene viewport シーン 场景
texture material テクスチャ マテリアル 纹理 材质
object item オブジェクト 对象 物体
"""

ABBREVIATIONS = """
acct account
addr address
admin administrator
approx approximate
args arguments
attr attribute
auth authentication authorization
avg average
btc bitcoin
calc calculate calculator
cfg configuration
cmd command
col column
config configuration
cpu processor
ctx context
dash dashboard
del delete
deps dependencies
desc description
dest destination
dev development developer
dl download
dm direct_message
dupe duplicate
ec2 instance
el element
env environment
eth ethereum
exec execute
fmt format
fn function
func function
gpu graphics
img image
impl implementation
info information
init initialize
js javascript
kb knowledge_base
kv key_value key_vault
lang language
lib library
loc location
max maximum
md markdown
mgmt management
min minimum
mkdir create_directory
mq queue
msg message
msgs messages
nav navigate navigation
notif notification
num number
obj object
ops operations
org organization
param parameter
params parameters
perf performance
perms permissions
pkg package
pref preference
proc process
prod production
proj project
ps process list
pwd password working_directory
qty quantity
rec record recommendation
recs recommendations
ref reference
regex regular_expression
req request
res resource response
rss feed
seo search_engine
sess session
spec specification
sql database
src source
stat statistics status
stats statistics
sub subscribe subscription
pub publish
svc service
sys system
tbl table
temp temperature temporary
ts typescript
tx transaction
txt text
tz timezone
ui interface
upd update
usr user
util utility
val value
var variable
vid video
vm virtual_machine
vol volume
wf workflow
ws workspace websocket
zset sorted_set
"""

NAMES = """
airtable エアテーブル
algolia
alipay 支付宝
amap gaode 高德 高德地图
amazon アマゾン 亚马逊
ansible
anthropic
asana
atlassian
aws amazon_web_services
azure
baidu 百度
bamboohr
basecamp
bigquery bq
bilibili 哔哩哔哩
bitbucket
bluesky
braintree
brave
buildkite
calendly
canva
chargebee
chatgpt
circleci
clickhouse
clickup
cloudflare
cloudinary
cloudwatch
coinbase
confluence
contentful
couchbase
ctrip 携程
databricks
datadog
deepl
dingtalk 钉钉
discord ディスコード
docker ドッカー
docusign
douyin 抖音
dropbox
duckduckgo ddg
dynamodb
ebay
elasticsearch opensearch
etsy
evernote
expedia
facebook fb フェイスブック 脸书
figma
firebase
freshdesk
github gh ギットハブ
gitlab gl ギットラボ
gmail
godaddy
google グーグル 谷歌
conf configuration
google_analytics
google_cloud gcp
google_sheets gsheets gsheet
google_docs gdocs gdoc
google_drive gdrive
google_calendar gcal
grafana
greenhouse
gusto
hacker_news hackernews
heroku
home_assistant hass ha ホームアシスタント
hootsuite
hostinger
hubspot
instacart
instagram insta インスタグラム
jenkins
jira ジラ
kafka
kayak
kibana
klaviyo
kubernetes k8s kubectl クバネティス
lark feishu 飞书 飛書
launchdarkly
linkedin
mailchimp
mailgun
mariadb
mastodon
meituan 美团
metabase
microsoft ms マイクロソフト 微软
microsoft_365 office_365 ms_365 m365 o365
microsoft_teams チームズ
miro
mixpanel
monday.com
mongodb mongo
mysql
neo4j
netflix
netlify
netsuite
new_relic newrelic
notion ノーション
obsidian
okta
onedrive microsoft_365 ms_365 office_365
onenote microsoft_365 ms_365 office_365
openai
opsgenie
outlook microsoft_365 ms_365 office_365 アウトルック
pagerduty
paypal
pinecone
pinterest
pipedrive
planetscale
playwright
posthog
postgresql postgres pgsql pg
postman
power_bi powerbi
prometheus
puppeteer
qdrant
quickbooks
rabbitmq
rakuten 楽天
reddit
redis
redshift
ringcentral
salesforce セールスフォース
search_console google_search_console gsc サーチコンソール
segment.io
sendgrid
sentry
servicenow
sharepoint microsoft_365 ms_365 office_365
shopify
slack スラック
snowflake
sonarqube
soundcloud
splunk
spotify
sqlite
squarespace
steam
stripe ストライプ
supabase
tableau
taobao 淘宝
telegram tg
terraform tf
testflight
tiktok
tmall 天猫
todoist
trello トレロ
tripadvisor
twilio
twitch
twitter tweet ツイッター 推特
typeform
uber
vercel
vimeo
wechat weixin 微信
weibo 微博
whatsapp
wikipedia
wix
wordpress
xcode
xero
xiaohongshu rednote 小红书
yelp
youtube yt ユーチューブ
zapier
zendesk
zhihu 知乎
zillow
zoho
zoom ズーム
"""

FILLERS = """
a an the i me my mine we us our ours you your yours he she him her his it its they them their
is are was were be been being am do does did doing done can could will would shall should may might must
have has had having to of in on at for from by with within into onto over under as and or nor not no but if then than so
that this these those there here what who whom whose when where why how whether about up out off
please kindly help need needs needed want wants wanted wanna like let lets try trying know tell give given
able ability capable capability way ways thing things something anything someone anyone some any each every
tool tools mcp function functions api apis use used uses using via
also just only very really well too more most much many lot lots bit now ok okay hi hello hey thanks thank
specific certain particular various different same other another such own both either neither per etc e.g i.e
i'm i'd i'll i've it's that's what's don't doesn't can't
ツール どんな どの どれ あります ありますか ある 機能 方法 してください してほしい して下さい ください 下さい お願いします お願い したい たい です ます でき できる する した して やり方 どうやって の を が に は で と も へ から まで
有 有什么 有哪些 哪些 请 请你 帮我 帮忙 帮 我 我要 我想 想要 想 需要 怎么 如何 怎样 什么 一个 一下 一些 工具 可以 能 能够 能否 的 了 吗 呢 吧 在 把 给 用 和 与 及 或 我的 你 您 这 那 个 条 里 中 上 从 到
"""
