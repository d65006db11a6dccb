! SPDX-License-Identifier: MIT
! Everything that the module can do, in one program. It prints a line for every region: its calls,
! two total times in ns, and its name. The program's own clock gives these times, read within the
! markers and around them. Regions that this clock does not time have -1.
program example
  use, intrinsic :: iso_fortran_env, only: int64
  !$ use omp_lib
  use regionstat
  implicit none
  integer, parameter :: n = 200
  integer(int64) :: outer_in, outer_out, inner_in, inner_out, t(4)
  type(regionstat_call) :: calls(n)
  character(20) :: padded
  integer :: i, n_threads

  outer_in = 0; outer_out = 0; inner_in = 0; inner_out = 0
  padded = 'inner'
  do i = 1, n
    t(1) = now()
    call regionstat_begin('outer loop')
    t(2) = now()
    call spin()
    block
      integer(int64) :: s(4)
      s(1) = now()
      call regionstat_begin(padded)
      s(2) = now()
      call spin()
      s(3) = now()
      call regionstat_end('inner')
      s(4) = now()
      inner_in = inner_in + s(3) - s(2)
      inner_out = inner_out + s(4) - s(1)
    end block
    t(3) = now()
    call regionstat_end('outer loop  ')
    t(4) = now()
    outer_in = outer_in + t(3) - t(2)
    outer_out = outer_out + t(4) - t(1)
  end do
  call told('outer loop', n, outer_in, outer_out)
  call told('inner', n, inner_in, inner_out)

  ! end one region and begin the next
  do i = 1, n
    call regionstat_begin('first')
    call regionstat_next('first', 'second')
    call regionstat_work('second', 800_int64, 100_int64)
    call regionstat_work('second', 8, 1)
    call regionstat_end('second')
  end do
  call told('first', n)
  call told('second', n)

  ! asynchronous calls: the last one started is the first to end
  do i = 1, n
    calls(i) = regionstat_start('request')
  end do
  do i = n, 1, -1
    call regionstat_stop(calls(i))
  end do
  call told('request', n)

  ! each thread calls the region
  n_threads = 1
  !$omp parallel num_threads(4)
  !$ n_threads = omp_get_num_threads()
  call regionstat_begin('thread')
  call spin()
  call regionstat_end('thread')
  !$omp end parallel
  call told('thread', n_threads)

  if (fib(10) /= 55) error stop
  call told('fib', 177)
  ! Inner calls return without regionstat_end(). The outer one still ends its own call.
  call careless(5)
  call told('careless', 1)

  call regionstat_begin(repeat('long ', 300))
  call regionstat_end(repeat('long ', 300))
  call regionstat_pause()
  call regionstat_begin('paused')
  call regionstat_end('paused')
  call regionstat_resume()

contains

  function now()
    integer(int64) :: now, rate
    call system_clock(now, rate)
    if (rate /= 1000000000_int64) error stop 'the clock does not count ns'
  end function

  subroutine spin()
    integer(int64) :: end
    end = now() + 20000
    do while (now() < end)
    end do
  end subroutine

  recursive function fib(k) result(f)
    integer, intent(in) :: k
    integer :: f
    call regionstat_begin('fib')
    if (k < 2) then
      f = k
    else
      f = fib(k - 1) + fib(k - 2)
    end if
    call regionstat_end('fib')
  end function

  recursive subroutine careless(k)
    integer, intent(in) :: k
    call regionstat_begin('careless')
    if (k == 0) return
    call careless(k - 1)
    if (k < 5) return
    call regionstat_end('careless')
  end subroutine

  subroutine told(name, count, within, around)
    character(*), intent(in) :: name
    integer, intent(in) :: count
    integer(int64), intent(in), optional :: within, around
    integer(int64) :: times(2)
    times = -1
    if (present(within)) times = [within, around]
    print '(i0, 1x, i0, 1x, i0, 1x, a)', count, times, name
  end subroutine

end program
