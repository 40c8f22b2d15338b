//! Comments on issues, on commits and on lines of pull requests.

use super::{Context, hex, issues, pulls};
use crate::clock;
use crate::json::Object;

/// IssueCommentEvent: the issue and the comment.
pub fn write_issue_comment(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let number = context.event.repo.active_issue(&mut context.rng);
    let mut object = Object::new(out);
    object.plain("action", &["created"]);
    issues::write(object.field("issue"), context, number, false);
    let id = (68_488_000 + context.event.row).to_string();
    let issue = ["/issues/", &number.to_string()];
    let mut comment = object.object("comment");
    context.api(&mut comment, "url", &["/issues/comments/", &id]);
    context.page(&mut comment, "html_url", &[issue[0], issue[1], "#issuecomment-", &id]);
    context.api(&mut comment, "issue_url", &issue);
    write_common(&mut comment, context, &id);
    comment.end();
    object.end();
}

/// PullRequestReviewCommentEvent: a comment on a line, and the pull request.
pub fn write_review_comment(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let number = context.event.repo.active_issue(&mut context.rng);
    let (id, pull) = ((22_400_000 + context.event.row).to_string(), number.to_string());
    let commit = context.sha();
    let mut object = Object::new(out);
    object.plain("action", &["created"]);
    let mut comment = object.object("comment");
    context.api(&mut comment, "url", &["/pulls/comments/", &id]);
    object_of_line(&mut comment, context, hex(&commit));
    context.api(&mut comment, "pull_request_url", &["/pulls/", &pull]);
    context.page(&mut comment, "html_url", &["/pull/", &pull, "#discussion_r", &id]);
    write_common(&mut comment, context, &id);
    comment.end();
    pulls::write(object.field("pull_request"), context, number, false, false);
    object.end();
}

/// CommitCommentEvent.
pub fn write_commit_comment(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let id = (9_130_000 + context.event.row).to_string();
    let commit = context.sha();
    let mut object = Object::new(out);
    let mut comment = object.object("comment");
    context.api(&mut comment, "url", &["/comments/", &id]);
    context.page(&mut comment, "html_url", &["/commit/", hex(&commit), "#commitcomment-", &id]);
    object_of_line(&mut comment, context, hex(&commit));
    write_common(&mut comment, context, &id);
    comment.end();
    object.end();
}

fn object_of_line(comment: &mut Object<'_>, context: &mut Context<'_>, commit: &str) {
    let position = u64::from(context.rng.below(200));
    comment.text("diff_hunk", "@@ -1,6 +1,9 @@\n int main(void)\n {\n+\treturn 0;\n }");
    comment.plain("path", &[context.rng.pick(&["README.md", "src/main.c", "lib/index.js", "app/models/user.rb", "setup.py"])]);
    comment.int("position", position);
    comment.int("original_position", position);
    comment.plain("commit_id", &[commit]);
}

fn write_common(comment: &mut Object<'_>, context: &mut Context<'_>, id: &str) {
    comment.field("id").extend_from_slice(id.as_bytes());
    context.event.actor.write_full(comment.field("user"), false);
    let now = -clock::second_of(context.event.row);
    clock::write(comment.field("created_at"), now);
    clock::write(comment.field("updated_at"), now);
    comment.text("body", context.sentences(1, 6));
}
