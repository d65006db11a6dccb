/* SPDX-License-Identifier: MIT */
/*
 * The runtime inside the measured program: how its files meet. Its state is in state.h. Five rooms:
 *
 * process/  what a process and a thread are
 *   attach.c    the way in: refuse what does not fit, build the state
 *   address.c   find the segment, and prove that it is it
 *   process.c   this process's entry in the segment; a forked child's new start
 *   copies.c    other copies of the runtime in this process; stay.c that this one stays
 *   memory.c    the window onto the segment, and memory in it for slots
 *   cgroup.c    what memory cgroups leave
 *   region_names.c  region names to region indices; only.c which are wanted
 *   thread.c    a thread's first marker and its end; slot.c its place in the segment;
 *               thread_list.c those that have one, and which are gone; thread_names.c what they are
 *               called
 *   interrupted.c  markers that are found in the middle of another
 *   self.h      the calling thread's state, and whether it can mark
 *   switches.h  whether the thread was switched out
 *   control.c   PAUSE and RESUME
 * count/    what counts, and what that costs
 *   plan.c      the events that are wanted
 *   counters.c  a thread's counter groups; group.c one of them: open, close
 *   group_check.c  whether a group that was opened counts
 *   snapshot.h  clock and counters at one moment; snapshot.c off the markers' path
 *   group_times.c  whether a group was on the PMU all through a call, and how long
 *   core_types.c   where cores are of several types
 *   cost.c      what slow paths take is measured while it happens, and charged to nobody
 *   calibrate.c what fast markers take
 * mark/     what marks
 *   path.h      BEGIN, END, NEXT: the path that must be short; marker.c the markers made of it
 *   sample.h    which calls are measured
 *   entry.h     open entries; entry.c memory for them, and those that never end; overlap.c ENDs in any order
 *   record.h    one finished call into its cell; record.c where it is not plain
 *   probe.h     overhead, measured in place by one call in 1,008
 *   slow.h      the slow paths, where that one cannot go on; slow.c all but call.c's
 *   parents.h   in which regions calls begin
 *   call.h      START and STOP: the path of asynchronous calls; call.c where it is slow
 *   slow_calls.c  calls that are told of as they happen
 *   work.c      what calls tell of bytes and operations
 *   cell.c      cells and the memory behind them
 * adapt/    what adapters of other marker APIs ask for: adapter_table.h; note.c what they met;
 *   read.c what a region measured; locate.c regions by address; object.c the objects that hold these;
 *   name.c what threads are called
 * arch/     what processors, the kernel and compilers give
 *
 * It links libc alone, and uses of it only what is safe in any thread at any time. State is
 * reached through one pointer for the process and one thread-local pointer.
 */
#ifndef RS_RUNTIME_RUNTIME_H
#define RS_RUNTIME_RUNTIME_H

#include "runtime/count/count.h"
#include "runtime/mark/mark.h"
#include "runtime/process/process.h"
#include "runtime/state.h"

#endif
