! SPDX-License-Identifier: MIT
! The module of LIKWID's Marker API, for Fortran programs with these markers where LIKWID is not
! installed:
!
!     use likwid
!     call likwid_markerStartRegion('solve')
!     ...
!     call likwid_markerStopRegion('solve')
!
! Names and arguments are those of LIKWID 5; see likwid.h and regionstat-markers(7). The procedures
! are in liblikwid.so: regionstat's library of this name, or LIKWID's own.
module likwid
  implicit none
  public
  private :: likwid_nothing_, likwid_of_region_, likwid_of_file_

  abstract interface
    subroutine likwid_nothing_()
    end subroutine

    subroutine likwid_of_region_(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_of_file_(filename)
      character(*) :: filename
    end subroutine
  end interface

  interface
    ! nr_events: before the call, the size of events; after it, how many there are. time: seconds.
    subroutine likwid_markerGetRegion(regionTag, nr_events, events, time, count)
      character(*) :: regionTag
      integer :: nr_events, count
      double precision :: events(*), time
    end subroutine
  end interface

  procedure(likwid_nothing_) :: likwid_markerInit, likwid_markerThreadInit, &
    likwid_markerNextGroup, likwid_markerClose
  procedure(likwid_of_region_) :: likwid_markerRegisterRegion, likwid_markerStartRegion, &
    likwid_markerStopRegion, likwid_markerResetRegion
  procedure(likwid_of_file_) :: likwid_markerWriteFile

  ! Markers for GPUs of NVIDIA and AMD, which do nothing.
  procedure(likwid_nothing_) :: likwid_NvMarkerInit, likwid_NvMarkerNextGroup, &
    likwid_NvMarkerClose, likwid_RocmMarkerInit, likwid_RocmMarkerNextGroup, likwid_RocmMarkerClose
  procedure(likwid_of_region_) :: likwid_NvMarkerRegisterRegion, likwid_NvMarkerStartRegion, &
    likwid_NvMarkerStopRegion, likwid_NvMarkerResetRegion, likwid_RocmMarkerRegisterRegion, &
    likwid_RocmMarkerStartRegion, likwid_RocmMarkerStopRegion, likwid_RocmMarkerResetRegion
  procedure(likwid_of_file_) :: likwid_NvMarkerWriteFile, likwid_RocmMarkerWriteFile
end module
