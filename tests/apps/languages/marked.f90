! SPDX-License-Identifier: MIT
! Makes 40 calls of "fortran", each with two calls of "inner" in it.
program marked
  use, intrinsic :: iso_c_binding, only: c_char, c_long_long, c_null_char
  implicit none
  interface
    subroutine region_begin(name) bind(c, name='regionstat_begin')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine region_end(name) bind(c, name='regionstat_end')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine region_work(name, bytes, flops) bind(c, name='regionstat_work')
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: name(*)
      integer(c_long_long), value :: bytes, flops
    end subroutine
  end interface
  integer :: i, j
  do i = 1, 40
    call region_begin('fortran' // c_null_char)
    do j = 1, 2
      call region_begin('inner' // c_null_char)
      call region_work('inner' // c_null_char, 16_c_long_long, 2_c_long_long)
      call region_end('inner' // c_null_char)
    end do
    call region_end('fortran' // c_null_char)
  end do
end program
