! SPDX-License-Identifier: MIT
! Mark the regions of a Fortran program for regionstat(1).
!
!     use regionstat
!     call regionstat_begin('solve')
!     ...
!     call regionstat_end('solve')
!
! `regionstat ./program` measures every call of every region. Without regionstat, a marker is a
! procedure call, a load and a branch. Link with -lregionstat-fortran; see regionstat-bindings(7).
!
! Names may have any length; trailing blanks are removed. Any thread may call these procedures.
module regionstat
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_size_t
  implicit none
  private

  public :: regionstat_begin, regionstat_end, regionstat_next
  public :: regionstat_call, regionstat_start, regionstat_stop
  public :: regionstat_work, regionstat_pause, regionstat_resume
  public :: regionstat_values, regionstat_read, regionstat_peek, regionstat_open, regionstat_report
  public :: regionstat_thread, regionstat_process, regionstat_open_call
  public :: regionstat_absent, regionstat_valid, regionstat_scaled

  ! An asynchronous call, from regionstat_start() to regionstat_stop(). Programs may copy it.
  type, bind(c) :: regionstat_call
    private
    integer(c_int64_t) :: word(8) = 0
  end type

  ! Which calls regionstat_read() reads, and how reliable its values are, as in regionstat.h.
  integer(c_int), parameter :: regionstat_thread = 0, regionstat_process = 1
  integer(c_int), parameter :: regionstat_open_call = 2
  integer(c_int), parameter :: regionstat_absent = 0, regionstat_valid = 1, regionstat_scaled = 2

  ! One value of one region so far. Times are in ns.
  type, bind(c) :: regionstat_values
    integer(c_int64_t) :: calls = 0
    real(c_double) :: total = 0, self = 0, p50 = 0, p90 = 0, p99 = 0
    integer(c_int) :: validity = 0, quantiles_validity = 0
  end type

  ! Add work to a region. bytes and flops are both integers of 64 bits, or both of 32 bits.
  interface regionstat_work
    module procedure work_of_64_bits, work_of_32_bits
  end interface

  integer(c_int), parameter :: mark_begin = 0, mark_end = 1, mark_next = 2

  ! Functions of regionstat_fortran.c.
  interface
    subroutine mark(what, name, length, other, other_length) &
      bind(c, name='regionstat_fortran_mark_')
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: what
      character(kind=c_char), intent(in) :: name(*), other(*)
      integer(c_size_t), value :: length, other_length
    end subroutine

    subroutine start(call, name, length) bind(c, name='regionstat_fortran_start_')
      import :: c_char, c_size_t, regionstat_call
      type(regionstat_call), intent(out) :: call
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine

    subroutine regionstat_stop(call) bind(c, name='regionstat_fortran_stop_')
      import :: regionstat_call
      type(regionstat_call), intent(in) :: call
    end subroutine

    subroutine work(name, length, bytes, flops) bind(c, name='regionstat_fortran_work_')
      import :: c_char, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int64_t), value :: bytes, flops
    end subroutine

    subroutine read_values(name, length, event, event_length, what, values) &
      bind(c, name='regionstat_fortran_read_')
      import :: c_char, c_int, c_size_t, regionstat_values
      character(kind=c_char), intent(in) :: name(*), event(*)
      integer(c_size_t), value :: length, event_length
      integer(c_int), value :: what
      type(regionstat_values), intent(out) :: values
    end subroutine

    subroutine peek_values(call, event, event_length, values) bind(c, name='regionstat_fortran_peek_')
      import :: c_char, c_size_t, regionstat_call, regionstat_values
      type(regionstat_call), intent(in) :: call
      character(kind=c_char), intent(in) :: event(*)
      integer(c_size_t), value :: event_length
      type(regionstat_values), intent(out) :: values
    end subroutine

    subroutine ask(is_report, text, length, message, message_length) &
      bind(c, name='regionstat_fortran_ask_')
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: is_report
      character(kind=c_char), intent(in) :: text(*)
      character(kind=c_char), intent(out) :: message(*)
      integer(c_size_t), value :: length, message_length
    end subroutine

    subroutine regionstat_pause() bind(c, name='regionstat_fortran_pause_')
    end subroutine

    subroutine regionstat_resume() bind(c, name='regionstat_fortran_resume_')
    end subroutine
  end interface

contains

  ! Begin a call of a region, which regionstat_end() ends on the same thread.
  subroutine regionstat_begin(name)
    character(*), intent(in) :: name
    call mark(mark_begin, name, len(name, c_size_t), name, 0_c_size_t)
  end subroutine

  subroutine regionstat_end(name)
    character(*), intent(in) :: name
    call mark(mark_end, name, len(name, c_size_t), name, 0_c_size_t)
  end subroutine

  ! End a call of one region and begin a call of another, with one reading of the clock and the
  ! counters for both.
  subroutine regionstat_next(ended, begun)
    character(*), intent(in) :: ended, begun
    call mark(mark_next, ended, len(ended, c_size_t), begun, len(begun, c_size_t))
  end subroutine

  ! Start an asynchronous call: many may be open at once, and end in any order, on any thread.
  function regionstat_start(name) result(call)
    character(*), intent(in) :: name
    type(regionstat_call) :: call
    call start(call, name, len(name, c_size_t))
  end function

  ! Add bytes moved and floating-point operations to the innermost open call of this name on this
  ! thread.
  subroutine work_of_64_bits(name, bytes, flops)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: bytes, flops
    call work(name, len(name, c_size_t), bytes, flops)
  end subroutine

  subroutine work_of_32_bits(name, bytes, flops)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: bytes, flops
    call work(name, len(name, c_size_t), int(bytes, c_int64_t), int(flops, c_int64_t))
  end subroutine

  ! Read the values that a region has so far for 'time', 'cpu-time' or an event. what is
  ! regionstat_thread, regionstat_process or regionstat_open_call.
  function regionstat_read(name, event, what) result(values)
    character(*), intent(in) :: name, event
    integer(c_int), intent(in) :: what
    type(regionstat_values) :: values
    call read_values(name, len(name, c_size_t), event, len(event, c_size_t), what, values)
  end function

  ! Read what an asynchronous call has used so far, on the thread that started it.
  function regionstat_peek(call, event) result(values)
    type(regionstat_call), intent(in) :: call
    character(*), intent(in) :: event
    type(regionstat_values) :: values
    call peek_values(call, event, len(event, c_size_t), values)
  end function

  ! Let this process measure itself if regionstat did not launch it. message becomes blank, or says
  ! why that failed.
  subroutine regionstat_open(events, message)
    character(*), intent(in) :: events
    character(*), intent(out) :: message
    call ask(0_c_int, events, len(events, c_size_t), message, len(message, c_size_t))
  end subroutine

  ! Write the report so far to a file. message becomes blank, or says why that failed.
  subroutine regionstat_report(path, message)
    character(*), intent(in) :: path
    character(*), intent(out) :: message
    call ask(1_c_int, path, len(path, c_size_t), message, len(message, c_size_t))
  end subroutine

end module
