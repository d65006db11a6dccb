# SPDX-License-Identifier: MIT
# The tests' programs of other APIs, each with the adapter that is found for it: the command tests
# of this machine, here on another processor.
. "$(dirname "$0")/measure.inc"
plugins=$(dirname "$(command -v markers-itt)")
while read -r program; do
	# shellcheck disable=SC2086 # words
	measure "$program" regionstat -x , -o out.csv -e time $program
done <<END
markers-contract itt recursion 50
markers-contract itt domains 300
markers-contract itt elsewhere 1000
markers-itt handed 500
markers-itt regions 200
markers-itt frames 50
markers-itt events 100
markers-itt pauses 100
markers-itt functions 50
markers-itt-starts names 1
markers-itt-starts old 1
markers-itt-starts stray 5
markers-contract itt-regions fork 40
markers-nvtx levels 30
markers-nvtx deep 300
markers-nvtx ranges 1000
markers-nvtx marks 50
markers-nvtx names 1
markers-nvtx unknown 20
markers-contract nvtx fork 40
kokkos calls
kokkos overlap
markers-contract kokkos-kernels recursion 50
kokkos wrong
markers-contract kokkos fork 40
caliper calls
caliper attributes
caliper overlap
caliper wrong
markers-contract caliper fork 40
uprof calls
uprof strict
uprof threads
uprof fork
uprof wrong
END
measure "names of threads" regionstat -x , -o out.csv -e time --per-thread markers-itt named 1
measure "plugin of itt" regionstat -x , -o out.csv -e time \
	markers-itt-starts plugin 20 "$plugins/markers-itt-plugin.so"
measure "plugin of nvtx" regionstat -x , -o out.csv -e time \
	markers-nvtx plugin 20 "$plugins/markers-nvtx-plugin.so"
measure "switch of uprof" regionstat -x , -o out.csv -e time --markers uprof=control uprof marked
measure "functions" regionstat -x , -o out.csv -e time functions \
	fork same 200 fibonacci 12 grows 20 leaps 50 threads 20 "$(dirname "$(command -v functions)")/functions-plugin.so" 30
