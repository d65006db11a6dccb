# SPDX-License-Identifier: MIT
# A program chooses its block size by its own IPC, launched and without a launcher.
echo "=== launched"
regionstat --quiet -x , -o launched.csv -e cycles:u,instructions:u block_size
echo "=== launched csv"
cat launched.csv
echo "=== own"
block_size cycles:u,instructions:u
