! SPDX-License-Identifier: MIT
! A user's program: three calls of a region, each with an x.
program marked
  use regionstat
  implicit none
  integer :: i
  do i = 1, 3
    call regionstat_begin('installed')
    write (*, '(a)', advance='no') 'x'
    call regionstat_end('installed')
  end do
  print '(a)', ''
end program
