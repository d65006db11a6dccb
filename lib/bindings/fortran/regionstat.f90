! SPDX-License-Identifier: MIT
! Mark the regions of a Fortran program for regionstat(1).
!
!     use regionstat
!     call regionstat_begin('solve')
!     ...
!     call regionstat_end('solve')
!
! Run as `regionstat ./program`, every region is measured per call. Run without it, a marker is a
! call, a load and a branch. Link with -lregionstat-fortran; see regionstat-bindings(7).
!
! Names are of any length, without their trailing blanks. Any thread may call any of these.
module regionstat
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_size_t
  implicit none
  private

  public :: regionstat_begin, regionstat_end, regionstat_next
  public :: regionstat_call, regionstat_start, regionstat_stop
  public :: regionstat_work, regionstat_pause, regionstat_resume

  ! An asynchronous call, from regionstat_start() to regionstat_stop(), to keep and to copy.
  type, bind(c) :: regionstat_call
    private
    integer(c_int64_t) :: word(8) = 0
  end type

  ! Of floating-point operations or bytes, as counters of programs are.
  interface regionstat_work
    module procedure work_of_64_bits, work_of_32_bits
  end interface

  integer(c_int), parameter :: mark_begin = 0, mark_end = 1, mark_next = 2

  ! Of regionstat_fortran.c.
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

    subroutine regionstat_pause() bind(c, name='regionstat_fortran_pause_')
    end subroutine

    subroutine regionstat_resume() bind(c, name='regionstat_fortran_resume_')
    end subroutine
  end interface

contains

  ! A call of a region from here to its regionstat_end(), on this thread.
  subroutine regionstat_begin(name)
    character(*), intent(in) :: name
    call mark(mark_begin, name, len(name, c_size_t), name, 0_c_size_t)
  end subroutine

  subroutine regionstat_end(name)
    character(*), intent(in) :: name
    call mark(mark_end, name, len(name, c_size_t), name, 0_c_size_t)
  end subroutine

  ! regionstat_end() of the first and regionstat_begin() of the second, with one reading of clock
  ! and counters for both.
  subroutine regionstat_next(ended, begun)
    character(*), intent(in) :: ended, begun
    call mark(mark_next, ended, len(ended, c_size_t), begun, len(begun, c_size_t))
  end subroutine

  ! A call that need not nest: it may be stopped in any order, and on any thread.
  function regionstat_start(name) result(call)
    character(*), intent(in) :: name
    type(regionstat_call) :: call
    call start(call, name, len(name, c_size_t))
  end function

  ! Bytes that the innermost open call of that name on this thread has moved, and floating-point
  ! operations that it has done.
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

end module
