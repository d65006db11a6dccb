// SPDX-License-Identifier: MIT
// Makes 40 calls of "go", each with two of "inner" in it, and 10 of "request", each in a goroutine.
package main

/*
#cgo LDFLAGS: -lregionstat
#include <stdlib.h>
struct regionstat_call { unsigned long long word[8]; };
void regionstat_begin(const char *name);
void regionstat_end(const char *name);
struct regionstat_call regionstat_start(const char *name);
void regionstat_stop(struct regionstat_call call);
*/
import "C"

import (
	"runtime"
	"sync"
)

func main() {
	outer, inner, request := C.CString("go"), C.CString("inner"), C.CString("request")
	// begin and end must run on the same thread
	runtime.LockOSThread()
	for i := 0; i < 40; i++ {
		C.regionstat_begin(outer)
		for j := 0; j < 2; j++ {
			C.regionstat_begin(inner)
			C.regionstat_end(inner)
		}
		C.regionstat_end(outer)
	}
	runtime.UnlockOSThread()
	var requests sync.WaitGroup
	for i := 0; i < 10; i++ {
		requests.Add(1)
		go func() {
			defer requests.Done()
			call := C.regionstat_start(request)
			runtime.Gosched()
			C.regionstat_stop(call)
		}()
	}
	requests.Wait()
}
