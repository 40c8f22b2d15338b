//! Sockets that listen at one address for several threads: the kernel spreads connections over them (`SO_REUSEPORT`).

use crate::failure::{NativeFailure, outcome};
use crate::sharing::shared;
use napi::Either;
use napi_derive::napi;
use socket2::Socket;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Opens `count` sockets at an address, which is no name, and a port, which is not 0, for the threads of a shared store.
#[napi(catch_unwind)]
pub fn listen_together(handle: u32, address: String, port: u16, backlog: u16, count: u8) -> Either<NativeFailure, bool> {
    outcome(shared(handle).and_then(|shared| {
        let place = SocketAddr::new(parsed(&address)?, port);
        let sockets = (0..count).map(|_| open_at(place, backlog.into())).collect::<io::Result<Vec<_>>>();
        *shared.sockets.lock() = sockets.map_err(|error| Error::io(&format!("{place} cannot be listened at"), &error))?;
        Ok(true)
    }))
}

/// A descriptor of its own for one of them: who gets it closes it.
#[napi(catch_unwind)]
pub fn listening_socket(handle: u32, place: u8) -> Either<NativeFailure, i32> {
    outcome(shared(handle).and_then(|shared| {
        let sockets = shared.sockets.lock();
        let socket = sockets.get(usize::from(place));
        let socket = socket.ok_or_else(|| Error::said(ErrorCode::ConfigInvalid, sentence!("there is no socket {place}", place = place)))?;
        descriptor_of(socket).map_err(|error| Error::io("a socket cannot be shared", &error))
    }))
}

/// Another descriptor of a socket that Node listens at: who gets it closes it. Node accepts one connection a turn with each.
#[napi(catch_unwind)]
pub fn listening_again(descriptor: i32) -> Either<NativeFailure, i32> {
    outcome(again(descriptor).map_err(|error| Error::io("a socket cannot be shared", &error)))
}

/// Closes the sockets. Connections that nobody accepts are refused once the threads have closed theirs.
#[napi(catch_unwind)]
pub fn stop_listening(handle: u32) -> Either<NativeFailure, bool> {
    outcome(shared(handle).map(|shared| {
        shared.sockets.lock().clear();
        true
    }))
}

fn parsed(address: &str) -> Result<IpAddr> {
    address.parse().map_err(|_| Error::said(ErrorCode::ConfigInvalid, sentence!("\"{address}\" is no IP address", address = address)))
}

#[cfg(target_os = "linux")]
fn open_at(place: SocketAddr, backlog: i32) -> io::Result<Socket> {
    use socket2::{Domain, Protocol, Type};
    let socket = Socket::new(Domain::for_address(place), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    if place.is_ipv6() {
        // As Node does: `::` takes IPv4, too.
        socket.set_only_v6(false)?;
    }
    socket.bind(&place.into())?;
    socket.listen(backlog)?;
    Ok(socket)
}

/// Other systems let several sockets listen, and give all connections to one of them.
#[cfg(not(target_os = "linux"))]
fn open_at(_place: SocketAddr, _backlog: i32) -> io::Result<Socket> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux spreads connections over several threads"))
}

#[cfg(unix)]
fn descriptor_of(socket: &Socket) -> io::Result<i32> {
    use std::os::fd::IntoRawFd;
    Ok(socket.try_clone()?.into_raw_fd())
}

#[cfg(unix)]
fn again(descriptor: i32) -> io::Result<i32> {
    use std::os::fd::{BorrowedFd, IntoRawFd};
    if descriptor < 0 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: it is not -1, and is only copied here: the system refuses one that is not open.
    let open = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(open.try_clone_to_owned()?.into_raw_fd())
}

#[cfg(not(unix))]
fn again(_descriptor: i32) -> io::Result<i32> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(not(unix))]
fn descriptor_of(_socket: &Socket) -> io::Result<i32> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
