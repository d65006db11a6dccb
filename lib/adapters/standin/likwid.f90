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

  interface
    subroutine likwid_markerInit()
    end subroutine

    subroutine likwid_markerThreadInit()
    end subroutine

    subroutine likwid_markerNextGroup()
    end subroutine

    subroutine likwid_markerClose()
    end subroutine

    subroutine likwid_markerWriteFile(filename)
      character(*) :: filename
    end subroutine

    subroutine likwid_markerRegisterRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_markerStartRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_markerStopRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_markerResetRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    ! nr_events: before the call, the size of events; after it, how many there are. time: seconds.
    subroutine likwid_markerGetRegion(regionTag, nr_events, events, time, count)
      character(*) :: regionTag
      integer :: nr_events, count
      double precision :: events(*), time
    end subroutine
  end interface

  ! Markers for GPUs of NVIDIA and AMD, which do nothing.
  interface
    subroutine likwid_NvMarkerInit()
    end subroutine

    subroutine likwid_NvMarkerNextGroup()
    end subroutine

    subroutine likwid_NvMarkerClose()
    end subroutine

    subroutine likwid_NvMarkerRegisterRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_NvMarkerStartRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_NvMarkerStopRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_NvMarkerResetRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_NvMarkerWriteFile(filename)
      character(*) :: filename
    end subroutine

    subroutine likwid_RocmMarkerInit()
    end subroutine

    subroutine likwid_RocmMarkerNextGroup()
    end subroutine

    subroutine likwid_RocmMarkerClose()
    end subroutine

    subroutine likwid_RocmMarkerRegisterRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_RocmMarkerStartRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_RocmMarkerStopRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_RocmMarkerResetRegion(regionTag)
      character(*) :: regionTag
    end subroutine

    subroutine likwid_RocmMarkerWriteFile(filename)
      character(*) :: filename
    end subroutine
  end interface
end module
