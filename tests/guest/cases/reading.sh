# SPDX-License-Identifier: MIT
# A program chooses its block size by its own IPC, launched and without a launcher.
. "$(dirname "$0")/measure.inc"
measure launched regionstat --quiet -x , -o out.csv -e cycles:u,instructions:u block_size
echo "=== own"
block_size cycles:u,instructions:u
