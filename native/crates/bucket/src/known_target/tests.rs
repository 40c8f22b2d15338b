use super::*;

const SECRET: &str = "hunter2hunter2";

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("secret"), format!("{SECRET}\n")).unwrap();
        Self { directory }
    }

    /// A description with `more` in it, in the place of what it says by itself.
    fn found(&self, more: serde_json::Value) -> Result<Access> {
        let mut target = serde_json::json!({
            "endpoint": "https://s3.example.com", "bucket": "b", "accessKey": "key",
            "secretKeyFile": self.directory.path().join("secret"),
        });
        for (name, value) in more.as_object().unwrap() {
            target[name] = value.clone();
        }
        let file = self.directory.path().join("targets.json");
        fs::write(&file, serde_json::json!({ "a": target }).to_string()).unwrap();
        find(Some(&file), "a")?.access("a")
    }
}

#[test]
fn a_target_is_found_by_its_name() {
    let files = Files::new();
    let access = files.found(serde_json::json!({ "prefix": "x/y" })).ok().unwrap();
    assert_eq!((access.credentials.secret(), access.prefix.as_str(), access.bucket.region()), (SECRET, "x/y/", "us-east-1"));
    assert_eq!(access.bucket.base_url().as_str(), "https://b.s3.example.com/");
    let file = files.directory.path().join("targets.json");
    assert_eq!(find(Some(&file), "b").err().unwrap().code, ErrorCode::BackupTargetNotFound);
    assert_eq!(find(None, "a").err().unwrap().code, ErrorCode::BackupTargetNotFound);
    assert_eq!(find(Some(Path::new("/nowhere/at-all")), "a").err().unwrap().code, ErrorCode::ConfigInvalid);
}

#[test]
fn plain_http_leaves_this_machine_only_if_that_is_meant() {
    let files = Files::new();
    for endpoint in ["http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost:9000", "https://example.com"] {
        assert!(files.found(serde_json::json!({ "endpoint": endpoint, "pathStyle": true })).is_ok(), "{endpoint}");
    }
    let refused = files.found(serde_json::json!({ "endpoint": "http://10.0.0.1:9000" })).err().unwrap();
    assert!(refused.message.contains("plainHttp"), "{refused}");
    assert!(files.found(serde_json::json!({ "endpoint": "http://10.0.0.1:9000", "pathStyle": true, "plainHttp": true })).is_ok());
}

#[test]
fn what_is_wrong_is_said_without_a_secret() {
    let files = Files::new();
    for more in [
        serde_json::json!({ "endpoint": "ftp://example.com" }),
        serde_json::json!({ "endpoint": "https://u:hunter2hunter2@example.com" }),
        serde_json::json!({ "endpoint": "https://example.com/path" }),
        serde_json::json!({ "endpoint": "https://example.com/?hunter2hunter2" }),
        serde_json::json!({ "endpoint": "" }),
        serde_json::json!({ "bucket": "a/b" }),
        serde_json::json!({ "bucket": "" }),
        serde_json::json!({ "region": "a b" }),
        serde_json::json!({ "prefix": "../a" }),
        serde_json::json!({ "prefix": "/a" }),
        serde_json::json!({ "prefix": "a//b" }),
        serde_json::json!({ "accessKey": "" }),
        serde_json::json!({ "accessKey": "a\nb" }),
        serde_json::json!({ "secretKeyVariable": "PATH" }),
        serde_json::json!({ "secretKeyFile": null }),
        serde_json::json!({ "secretKeyFile": "secret" }),
        serde_json::json!({ "secretKeyFile": "/nowhere/at-all" }),
        serde_json::json!({ "secretKeyFile": "/dev/zero" }),
        serde_json::json!({ "ca": "a.pem" }),
        serde_json::json!({ "timeoutSeconds": 0 }),
        serde_json::json!({ "secretKey": SECRET }),
        serde_json::json!({ "region": 1 }),
    ] {
        let refused = files.found(more.clone()).err().unwrap();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ConfigInvalid, Some("target")), "{more}");
        assert!(!refused.message.contains("hunter2"), "{refused}");
    }
}
