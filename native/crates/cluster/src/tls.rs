//! Encrypted connections: which certificates are trusted, and the one that this server shows.
//!
//! The operator's file names PEM files. They are read anew for each opening, as that file is.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};

/// Largest PEM file. A bundle of all public authorities has a quarter of it.
const MOST_BYTES: u64 = 1 << 20;

/// How connections to a cluster are encrypted, as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Tls {
    /// The authorities whose certificates are trusted: a PEM file.
    pub ca: PathBuf,
    /// What this server shows if a node wants to know who connects: a PEM file, the certificate first, then those that vouch for it.
    pub certificate: Option<PathBuf>,
    /// The key of `certificate`: a PEM file.
    pub key: Option<PathBuf>,
    /// Whether the certificate of a node must name its address.
    #[serde(default = "yes")]
    pub verify_hostname: bool,
}

const fn yes() -> bool {
    true
}

impl Tls {
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        if self.certificate.is_some() != self.key.is_some() {
            return Err(invalid(format!("tls of the cluster {name:?} must have both certificate and key, or neither")));
        }
        let paths = [Some(&self.ca), self.certificate.as_ref(), self.key.as_ref()];
        match paths.into_iter().flatten().find(|path| !path.is_absolute()) {
            Some(path) => Err(invalid(format!("tls of the cluster {name:?} must have absolute paths, got {}", path.display()))),
            None => Ok(()),
        }
    }

    /// What a connection needs to know.
    ///
    /// # Errors
    /// `config_invalid` with the name of the file that cannot be used, and nothing of what is in it.
    pub fn client(&self) -> Result<Arc<ClientConfig>> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = Arc::new(Verifier { inner: self.authorities(&provider)?, names: self.verify_hostname });
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid(format!("TLS cannot be used: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let (Some(certificate), Some(key)) = (&self.certificate, &self.key) else {
            return Ok(Arc::new(builder.with_no_client_auth()));
        };
        let chain = certificates(certificate)?;
        let secret = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| unusable(key, "has no private key in PEM"))?;
        let config = builder.with_client_auth_cert(chain, secret);
        let what = format!("and {} are no certificate and its key", key.display());
        config.map(Arc::new).map_err(|_| unusable(certificate, &what))
    }

    fn authorities(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.ca)? {
            roots.add(certificate).map_err(|_| unusable(&self.ca, "has a certificate that no authority can have"))?;
        }
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
        built.map_err(|_| unusable(&self.ca, "has no certificate of an authority"))
    }
}

/// The certificates of a file, at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let text = read(path)?;
    let all: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    all.ok().filter(|all| !all.is_empty()).ok_or_else(|| unusable(path, "has no certificates in PEM"))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| unusable(path, &format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(unusable(path, &format!("has more than {MOST_BYTES} bytes")));
    }
    Ok(bytes)
}

fn unusable(path: &Path, what: &str) -> Error {
    invalid(format!("{} {what}", path.display()))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorCode::ConfigInvalid, message).in_field("cluster.name")
}

/// Trusts what the authorities have signed; whether it names the node may be left open.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
    names: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        match self.inner.verify_server_cert(end, between, name, ocsp, now) {
            // The name is looked at last: all else is in order.
            Err(rustls::Error::InvalidCertificate(error)) if !self.names && is_name(&error) => Ok(ServerCertVerified::assertion()),
            answer => answer,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

const fn is_name(error: &CertificateError) -> bool {
    matches!(error, CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. })
}

/// What may be wrong if a node ends a connection before it is used.
pub(crate) const fn hint(tls: Option<&Tls>) -> &'static str {
    match tls {
        None => "the node ended it; perhaps it wants TLS",
        Some(Tls { certificate: None, .. }) => {
            "the node ended it; perhaps it wants a certificate of this server: tls.certificate and tls.key"
        }
        Some(_) => "the node ended it; perhaps it does not take tls.certificate, the certificate of this server",
    }
}

/// The error of TLS that ended a connection; `None` if it failed for another reason.
pub(crate) fn cause(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// What was wrong with the encryption of a connection; `None`: the node has not told.
pub(crate) fn reason(error: &rustls::Error) -> Option<String> {
    let words = match error {
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            "no authority of tls.ca has signed the certificate of the node"
        }
        rustls::Error::InvalidCertificate(error) if is_name(error) => {
            "the certificate of the node does not name its address; tls.verifyHostname demands it"
        }
        rustls::Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "the certificate of the node has expired"
        }
        rustls::Error::AlertReceived(AlertDescription::CertificateRequired | AlertDescription::HandshakeFailure) => {
            "the node wants a certificate of this server: tls.certificate and tls.key"
        }
        rustls::Error::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied,
        ) => "the node does not take tls.certificate, the certificate of this server",
        rustls::Error::InvalidMessage(_) => "what answers does not speak TLS",
        // Nodes of Cassandra say so of a certificate that they do not trust.
        rustls::Error::AlertReceived(_) => return None,
        _ => return Some(format!("TLS failed: {error}")),
    };
    Some(format!("{words} ({error})"))
}
