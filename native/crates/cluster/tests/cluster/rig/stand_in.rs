//! A node that is none: it speaks TLS or not, and answers each frame with the next of its answers.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// Opcodes of the native protocol, version 4.
pub const ERROR: u8 = 0x00;
pub const AUTHENTICATE: u8 = 0x03;
pub const SUPPORTED: u8 = 0x06;

/// An answer: its opcode and body.
pub type Answer = (u8, Vec<u8>);

/// An error of a node with its words.
pub fn error(code: u32, words: &str) -> Answer {
    (ERROR, [code.to_be_bytes().as_slice(), &text(words)].concat())
}

/// The options that a node has: none.
pub fn supported() -> Answer {
    (SUPPORTED, vec![0, 0])
}

pub fn authenticate() -> Answer {
    (AUTHENTICATE, text("org.apache.cassandra.auth.PasswordAuthenticator"))
}

fn text(words: &str) -> Vec<u8> {
    [(words.len() as u16).to_be_bytes().as_slice(), words.as_bytes()].concat()
}

/// Starts one. Answers where it listens.
pub fn node(tls: Option<ServerConfig>, answers: Vec<Answer>) -> String {
    let tls = tls.map(Arc::new);
    listen(move |socket| serve(socket, tls.clone(), &answers))
}

/// One that says the same to everybody, and then nothing more.
pub fn deaf(words: &'static [u8]) -> String {
    listen(move |mut socket| {
        let _ = socket.write_all(words);
        let _ = std::io::copy(&mut socket, &mut std::io::sink());
    })
}

fn listen(each: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // It goes with the test program.
    thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let each = each.clone();
            thread::spawn(move || each(socket));
        }
    });
    address
}

fn serve(socket: TcpStream, tls: Option<Arc<ServerConfig>>, answers: &[Answer]) {
    let mut plain = socket.try_clone().unwrap();
    // A client that gives up ends the conversation.
    let _ = match tls {
        None => converse(&mut plain, answers),
        Some(config) => converse(&mut StreamOwned::new(ServerConnection::new(config).unwrap(), socket), answers),
    };
    // What the client has sent is read, or the last answer would be lost to it.
    let _ = plain.shutdown(Shutdown::Write);
    let _ = std::io::copy(&mut plain, &mut std::io::sink());
}

fn converse(stream: &mut (impl Read + Write), answers: &[Answer]) -> Result<()> {
    for (opcode, body) in answers {
        let mut header = [0; 9];
        stream.read_exact(&mut header)?;
        let length = u32::from_be_bytes(header[5..].try_into().unwrap());
        stream.read_exact(&mut vec![0; length as usize])?;
        let mut answer = vec![0x84, 0, header[2], header[3], *opcode];
        answer.extend((body.len() as u32).to_be_bytes());
        answer.extend(body);
        stream.write_all(&answer)?;
    }
    stream.flush()
}

/// An authority that signs certificates.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate that names a host or an address, and its key, in PEM.
    pub fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// What a node at an address needs; `asks`: it wants certificates of this authority from clients.
    pub fn server(&self, name: &str, asks: bool) -> ServerConfig {
        let provider = Arc::new(default_provider());
        let (certificate, key) = self.sign(name);
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let builder = ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
        let builder = match asks {
            false => builder.with_no_client_auth(),
            true => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(self.pem().as_bytes()).unwrap()).unwrap();
                builder.with_client_cert_verifier(WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap())
            }
        };
        builder.with_single_cert(vec![certificate], key).unwrap()
    }
}

/// A file with a text.
pub fn file(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}
