"""The commands that nothing lets through, in every disguise that a script gives away."""

from tests.approvals.judging import verdict
from tests.support.promises import promise

RUINOUS = r"""
rm -rf /
rm -fr /*
rm -r --force ~
rm -rf "$HOME"
rm -rf $HOME/*
rm -rf ~/
rm -rf /etc
rm -rf /usr/
rm --recursive --no-preserve-root /
/bin/rm -rf /
sudo rm -rf /
sh -c 'rm -rf /'
echo $(rm -rf /)
find / -delete
chmod -R 777 /
chown -R me /usr
mv /* /dev/null
dd if=/dev/zero of=/dev/sda
echo x > /dev/sda1
cat x | tee /dev/nvme0n1
mkfs.ext4 /dev/sda1
shutdown -h now
reboot
init 0
kill -9 -1
:(){ :|:& };:
bomb() { bomb | bomb & }; bomb
f() { rm -rf /; }; f
rm -rf //
rm -rf /./
rm -rf /../
rm -rf /home/..
rm -rf /*/
rm -rf /???
rm -rf /bi*
rm -rf /{bin,etc}
rm -rf "/"*
rm -rf '/'
rm -rf "/" /tmp/x
rm -rf -- /
rm -r -f /
rm / -rf
rm -Rf /
rm -fvr /
rm --recurs --force /
rm --no-preserve-root -r /
rm -rf ~/.
rm -rf ~/*
rm -rf ~/.*
rm -rf ~root
rm -rf $HOME/.
rm -rf ${HOME%/}
rm -rf ${HOME:?}/*
rm -rf /home/alice
rm -rf /home/*
rm -rf /Users/bob/
rm -rf /etc/*
rm -rf $'/'
rm -rf $'\x2f'
$'\x72m' -rf /
$'rm' -rf /
X=/; rm -rf $X
X=/; rm -rf "$X"
X=/; rm -rf ${X}
X=rm; $X -rf /
A=-rf; rm $A /
CMD='rm -rf /'; $CMD
rm -rf ${X:-/}
${X:-rm} -rf /
{rm,-rf,/}
r{m,} -rf /
/bin/r? -rf /
/bin/r* -rf /
$(echo rm) -rf /
rm -rf $(echo /)
rm -rf `echo /`
rm -rf "$(printf /)"
\rm -rf /
r''m -rf /
'rm' -rf /
/usr/bin/rm -rf /
command rm -rf /
exec rm -rf /
builtin exec rm -rf /
eval 'rm -rf /'
eval rm -rf /
trap 'rm -rf /' EXIT
bash -lc "rm -rf /"
zsh -c 'rm -rf /'
bash <<< 'rm -rf /'
echo 'rm -rf /' | sh
echo "rm -rf /" | sudo bash
printf 'rm -rf /' | bash -s
sudo -u root -- rm -rf /
doas rm -rf /
su -c 'rm -rf /'
env rm -rf /
env -S 'rm -rf /'
env -i A=b rm -rf /
nohup rm -rf / &
setsid rm -rf /
timeout 5 rm -rf /
nice rm -rf /
time rm -rf /
flock /tmp/l rm -rf /
flock /tmp/l -c 'rm -rf /'
busybox rm -rf /
toybox rm -rf /
chroot / rm -rf /
unshare -r rm -rf /
systemd-run rm -rf /
firejail rm -rf /
taskset 1 rm -rf /
ltrace rm -rf /
parallel rm -rf ::: /
watch 'rm -rf /'
script -c 'rm -rf /'
tmux new -d 'rm -rf /'
ssh localhost 'rm -rf /'
ssh localhost rm -rf /
xargs rm -rf <<< /
echo / | xargs rm -rf
ls -d /* | xargs rm -rf
find / | xargs rm -rf
find / -print0 | xargs -0 rm -f
find / -mindepth 1 -delete
find / -type f -delete
find ~ -delete
find / -name '*' -delete
find / -exec rm -rf {} +
find / -type f -exec rm {} \;
find /* -exec rm -rf {} \;
cd / && rm -rf *
cd /; rm -rf .
cd / && rm -rf ./*
cd ~ && rm -rf * .*
cd && rm -rf *
pushd / && rm -rf *
(cd / && rm -rf *)
rm -rf / & ls
ls || rm -rf /
! rm -rf /
if true; then rm -rf /; fi
while true; do rm -rf /; done
for i in 1; do rm -rf /; done
case x in *) rm -rf /;; esac
echo "`rm -rf /`"
cat <(rm -rf /)
x=$(rm -rf /)
python -c "import os; os.system('rm -rf /')"
python3 -c "import subprocess; subprocess.run(['rm','-rf','/'])"
python3 -c "import shutil; shutil.rmtree('/')"
perl -e 'system("rm -rf /")'
ruby -e '`rm -rf /`'
node -e 'require("child_process").execSync("rm -rf /")'
node -e 'require("fs").rmSync("/", {recursive: true})'
awk 'BEGIN{system("rm -rf /")}'
php -r 'system("rm -rf /");'
mv / /x
mv ~ /tmp/x
mv /usr /tmp
rsync -a --delete empty/ /
rsync -a --delete-after empty/ ~/
chmod -R 000 /
chmod 777 -R /
chmod --recursive 000 /etc
chown -hR a:b /
chattr -R +i /
dd of=/dev/nvme0n1 if=x bs=1M
dd if=x of="/dev/sda"
cp /dev/zero /dev/sda
cp x /dev/sdb1
cat x > /dev/sda
echo > /dev/sda
: > /dev/sda
: >| /dev/sda
echo x >> /dev/sda
ls &> /dev/sda
cat x | tee /dev/sda
cat x | sudo tee /dev/sda
truncate -s 0 /dev/sda
mkfs -t ext4 /dev/sda
mkfs.xfs /dev/sda
mke2fs /dev/sda
mkswap /dev/sda
wipefs -a /dev/sda
blkdiscard /dev/sda
shred /dev/sda
sgdisk -Z /dev/sda
parted -s /dev/sda mklabel gpt
shutdown now
sudo shutdown -h now
reboot -f
halt
poweroff
systemctl poweroff
systemctl reboot -i
systemctl start reboot.target
init 6
telinit 0
echo b > /proc/sysrq-trigger
echo b | tee /proc/sysrq-trigger
kill -KILL -1
kill -s KILL -- -1
kill -- -1
pkill -9 .
killall5 -9
: () { : | : & } ; :
bomb(){ bomb|bomb& };bomb
function b { b | b & }; b
b() ( b | b & ); b
b() { b & b & }; b
perl -e 'fork while fork'
"""

ORDINARY = r"""
rm -rf build
rm -rf ./node_modules /tmp/x
rm -rf ~/project/build
rm -rf $HOME/.cache/x
rm -rf /home/alice/project/build
rm -rf /var/tmp/x
rm -rf "$DIR/x"
rm -rf $X
rm -rf /usr/local/lib/x
rm -rf /opt/x
rm /x
rm -rf *
rm -rf .
cd build && rm -rf *
cd /tmp/x && rm -rf *
X=build; rm -rf $X
find . -delete
find / -name '*.pyc' -delete
find ~ -name .DS_Store -exec rm {} +
find . -name x | xargs rm -rf
git ls-files | xargs rm -f
git rm -r x
docker run --rm x ls /
docker run --rm -v /:/host x ls
chmod -R u+w .
chown -R me ~/x
mv a /opt/b
cp a /etc/b
cp /dev/sda1 image
dd if=/dev/sda of=image
dd if=a of=b
sfdisk -l /dev/sda
cat x > /dev/null
kill -9 5
kill -1 5
pkill -f server.py
killall node
systemctl restart nginx
systemctl status
echo 'rm -rf /'
grep -r 'rm -rf /' .
git commit -m 'never rm -rf / again'
printf 'rm -rf /\n' > notes
python -c 'print("hello")'
python x.py
rsync -a --delete a/ b/
rsync -a / /backup
ls / | xargs echo
echo / | xargs ls
npm run clean
init
f() { g | h & }; f
timeout 5 ls /
ls -d /*
tar czf x.tgz /etc
chmod +x /usr/local/bin/x
"""


LINES = ("python -c 'import os\nwhile 1: os.fork()'", "cat <<E | sh\nrm -rf /\nE")


@promise("APPROVE.ruinous")
def test_ruinous_commands_are_refused_whatever_is_allowed() -> None:
    rows = (*RUINOUS.strip().split("\n"), *LINES)
    assert [text for text in rows if verdict(text, mode="yolo", allow=["*"]).decision != "deny"] == []


@promise("APPROVE.ruinous")
def test_ordinary_commands_are_not_ruinous() -> None:
    answers = {text: verdict(text, mode="yolo") for text in ORDINARY.strip().split("\n")}
    assert {text: answer.reason for text, answer in answers.items() if answer.decision != "allow"} == {}
