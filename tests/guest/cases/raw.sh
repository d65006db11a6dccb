# SPDX-License-Identifier: MIT
# The markers' overhead, subtracted and included.
. "$(dirname "$0")/measure.inc"
measure "taken out" regionstat -x , -o out.csv -e instructions:u known_instructions 100
measure "left in" regionstat --raw -x , -o out.csv -e instructions:u known_instructions 100
