use super::*;
use crate::JobPage;

const OTHER: &str = "other";

fn ids(page: &JobPage) -> Vec<&str> {
    page.jobs.iter().map(|job| job.id.as_str()).collect()
}

#[test]
fn pages_follow_each_other_without_gap_while_jobs_end_and_begin() {
    let jobs = JobRegistry::open(None, JobLimits::default()).unwrap();
    let mut begun: Vec<Arc<Job>> = (0..20).map(|_| jobs.begin(spec(JobKind::Scan)).unwrap()).collect();
    begun.iter().step_by(3).for_each(|job| job.finish(Ok("{}".to_owned())));
    let expected: Vec<String> = begun.iter().rev().map(|job| job.id().to_owned()).collect();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = jobs.list(&JobQuery { after: after.take(), limit: 7, ..JobQuery::default() }).unwrap();
        seen.extend(page.jobs.iter().map(|job| job.id.clone()));
        // One ends, and one comes: neither moves those that follow.
        begun.pop().into_iter().for_each(|job| job.finish(Ok("{}".to_owned())));
        jobs.begin(spec(JobKind::Scan)).unwrap();
        if !page.more {
            break;
        }
        after = page.jobs.last().map(|job| job.id.clone());
    }
    assert_eq!(seen, expected);
}

#[test]
fn a_list_is_of_the_kinds_states_namespace_and_times_asked_for() {
    let jobs = JobRegistry::open(None, JobLimits::default()).unwrap();
    let begin = |kind, namespace: &str| jobs.begin(JobSpec { namespace: namespace.to_owned(), ..spec(kind) }).unwrap();
    let scan = begin(JobKind::Scan, "test");
    let count = begin(JobKind::Count, OTHER);
    let build = begin(JobKind::IndexBuild, "test");
    let running = begin(JobKind::IndexBuild, OTHER);
    scan.finish(Ok("{}".to_owned()));
    count.finish(Ok("{}".to_owned()));
    build.finish(Err(Error::new(ErrorCode::StorageFailed, "the disk is gone")));
    running.start();
    let list = |query: JobQuery| jobs.list(&query).unwrap();
    let kinds = list(JobQuery { kinds: vec![JobKind::Scan, JobKind::IndexBuild], ..JobQuery::default() });
    assert_eq!(ids(&kinds), [running.id(), build.id(), scan.id()]);
    let states = list(JobQuery { states: vec![JobState::Failed, JobState::Running], ..JobQuery::default() });
    assert_eq!(ids(&states), [running.id(), build.id()]);
    assert_eq!(ids(&list(JobQuery { namespace: Some(OTHER.to_owned()), ..JobQuery::default() })), [running.id(), count.id()]);
    let created = build.info().created_at_ms;
    let from = list(JobQuery { from_ms: Some(created), ..JobQuery::default() });
    let to = list(JobQuery { to_ms: Some(created), ..JobQuery::default() });
    assert!(ids(&from).contains(&build.id()) && !ids(&to).contains(&build.id()));
    assert_eq!(from.jobs.len() + to.jobs.len(), 4);
    assert!(list(JobQuery { to_ms: Some(0), ..JobQuery::default() }).jobs.is_empty());
    for cursor in ["", "nonsense", "0000000000000x", "uuuuuuuuuuuuu"] {
        let refused = jobs.list(&JobQuery { after: Some(cursor.to_owned()), ..JobQuery::default() });
        assert_eq!(refused.unwrap_err().code, ErrorCode::CursorInvalid, "{cursor}");
    }
}

#[test]
fn a_page_is_bounded_in_bytes_too() {
    let jobs = JobRegistry::open(None, JobLimits::default()).unwrap();
    for _ in 0..8 {
        jobs.begin(spec(JobKind::Count)).unwrap().finish(Ok(format!("\"{}\"", "x".repeat(1 << 20))));
    }
    let page = jobs.list(&JobQuery::default()).unwrap();
    assert!(page.more && (2..=3).contains(&page.jobs.len()), "{} jobs", page.jobs.len());
    let after = page.jobs.last().map(|job| job.id.clone());
    assert!(!jobs.list(&JobQuery { after, ..JobQuery::default() }).unwrap().jobs.is_empty());
}
