! SPDX-License-Identifier: MIT
! A program with LIKWID's markers: 20 calls of each region, one of which takes all of the time.
program standin
  use likwid
  implicit none
  integer :: i, n, count
  double precision :: values(4), time
  call likwid_markerInit()
  call likwid_markerThreadInit()
  call likwid_markerRegisterRegion('triad')
  do i = 1, 20
    call likwid_markerStartRegion('triad')
    call likwid_markerStartRegion('triad of blanks   ')
    call likwid_markerStopRegion('triad of blanks')
    call likwid_markerStopRegion('triad')
  end do
  n = size(values)
  call likwid_markerGetRegion('triad', n, values, time, count)
  call likwid_markerClose()
  print '(a, i0)', 'calls ', count
end program
