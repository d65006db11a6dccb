# SPDX-License-Identifier: MIT
# Counting in children, in threads and in programs that lose counters to other users.
. "$(dirname "$0")/measure.inc"
chmod 777 .
measure family regionstat -x , -o out.csv -e instructions:u lives family
measure threads regionstat -x , -o out.csv -e instructions:u lives threads 100
measure robbed regionstat -x , -o out.csv --no-totals -e instructions:u lives robbed
measure many as_user regionstat -x , -o out.csv -e instructions:u lives threads 1000
ulimit -n 40
measure few as_user regionstat -x , -o out.csv -e instructions:u lives threads 200
