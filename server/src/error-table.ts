// Every error code that the gateway can answer, with its HTTP status, its title and what to do about it.

export interface ErrorEntry {
  status: number
  title: string
  /** What the caller can do, for docs/errors.md. */
  remedy: string
}

const entry = (status: number, title: string, remedy: string): ErrorEntry => ({ status, title, remedy })

/** Codes of the storage core, which travel unchanged. */
const coreErrors = {
  name_invalid: entry(400, 'Invalid name', "Use 1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-'; not '.' or '..'."),
  namespace_exists: entry(409, 'Namespace exists', 'Choose another name, or use the existing namespace.'),
  namespace_not_found: entry(404, 'No such namespace', 'List the namespaces, or create this one.'),
  namespace_limit: entry(409, 'Too many namespaces', 'Drop one you no longer need.'),
  namespace_failed: entry(
    503,
    'Namespace could not be opened',
    'Read its state and reason. Repair its files and open it again, or drop it. Other namespaces are served.',
  ),
  starting: entry(503, 'Namespace is recovering', 'Wait for the seconds in Retry-After. /readyz shows the progress.'),
  segment_count_invalid: entry(400, 'Invalid segment count', 'Use a power of two from 1 to 4096.'),
  config_invalid: entry(400, 'Invalid configuration', 'Correct the field that the answer names.'),
  device_not_allowed: entry(
    403,
    'Device is not allowed',
    'Use a folder or device listed in TESSERA_DEVICES, or ask the operator to add it.',
  ),
  unsupported: entry(501, 'Not supported by this engine', "Check the namespace's capabilities."),
  capability_unsupported: entry(
    501,
    'Not supported by this engine or cluster',
    'Read `capabilities.missing` of the namespace, and follow the answer, or use another engine.',
  ),
  set_not_found: entry(404, 'No such set', 'Write a record to the set, or create the set.'),
  set_limit: entry(409, 'Too many sets', 'Use fewer sets in this namespace.'),
  set_quota: entry(507, 'Set is full', "Delete records of the set, or raise the set's limits."),
  set_not_empty: entry(409, 'Set has records', 'Truncate the set first, or use another.'),
  record_not_found: entry(404, 'No such record', 'Check the key, its type, and the set.'),
  record_exists: entry(412, 'Record exists', 'Leave out If-None-Match to overwrite it.'),
  generation_mismatch: entry(412, 'Record has changed', 'Read it again, merge, and send its new ETag.'),
  record_too_large: entry(413, 'Record is too large', "Keep it under the namespace's maxRecordBytes."),
  record_damaged: entry(
    500,
    'Record is damaged on the device',
    'Write the record again. The namespace lists its damage.',
  ),
  filtered_out: entry(412, 'Record does not pass the filter', 'Change the filter, or leave it out.'),
  key_invalid: entry(400, 'Invalid key', 'Check the key against its keytype.'),
  key_too_long: entry(
    400,
    'Key is too long',
    'Use a key of at most 8 KiB. In a paged namespace the limit depends on the page size; the answer names it.',
  ),
  bin_name_invalid: entry(400, 'Invalid bin name', 'Use 1 to 255 bytes without control characters (15 on /v1).'),
  bin_type_mismatch: entry(
    400,
    'Bin holds another type',
    'Add integers to integers and doubles to doubles; join strings to strings and bytes to bytes.',
  ),
  operation_invalid: entry(400, 'Invalid operation', 'Correct the part that the answer names.'),
  single_bin: entry(400, 'Records have a single bin here', 'Send exactly one bin, named "value".'),
  too_many_bins: entry(400, 'Too many bins', 'Use fewer bins, for example a map inside one bin.'),
  nesting_too_deep: entry(400, 'Nesting is too deep', 'Nest lists and maps at most 64 levels deep.'),
  number_out_of_range: entry(400, 'Number is out of range', 'Use signed 64-bit integers and finite doubles.'),
  json_invalid: entry(400, 'JSON is not well formed', 'Correct the text at the place the answer names.'),
  json_duplicate_key: entry(400, 'JSON has a duplicate key', 'Use each key of an object only once.'),
  msgpack_invalid: entry(400, 'MessagePack is not well formed', 'Correct the bytes at the place the answer names.'),
  utf8_invalid: entry(400, 'Text is not UTF-8', 'Send UTF-8.'),
  csv_invalid: entry(400, 'CSV is not well formed', "Use PostgreSQL's CSV dialect."),
  row_too_long: entry(413, 'Row is too long', 'Keep a row under maxRecordBytes; in a query, select less.'),
  column_unknown: entry(400, 'No such column', "Check the names against the file's header."),
  key_missing: entry(400, 'Row has no key', 'Name the column that holds the key, or leave out ?key=.'),
  encoding_invalid: entry(400, 'Compressed data is damaged', 'Compress the file again.'),
  ttl_invalid: entry(400, 'Invalid time to live', 'Use seconds, at most ten years.'),
  threads_invalid: entry(400, 'Invalid thread count', 'Use 1 to 128 threads; for a workload, 1 to 1024.'),
  rate_invalid: entry(400, 'Invalid rate', 'Use records per second; 0 means no limit.'),
  cursor_invalid: entry(400, 'Invalid cursor', 'Start again without a cursor.'),
  order_invalid: entry(400, 'Invalid order', 'Correct the part that the answer names.'),
  order_needs_limit: entry(400, 'Order needs a limit', 'Set limit, and continue with the cursor.'),
  aggregate_invalid: entry(400, 'Invalid aggregate', 'Correct the part that the answer names.'),
  query_invalid: entry(400, 'Invalid query', 'Correct the part of select, unnest or group that the answer names.'),
  too_many_groups: entry(422, 'Too many groups', 'Group by fewer values, or filter first.'),
  stream_invalid: entry(400, 'Invalid stream', 'Correct the step that the answer names.'),
  too_many_distinct: entry(
    422,
    'Too many different elements',
    'Filter first, or map to fewer columns before distinct.',
  ),
  sample_invalid: entry(
    400,
    'Invalid sample',
    'Use a share above 0 and at most 1, or first, which has no further pages.',
  ),
  time_in_future: entry(400, 'Time is in the future', 'Use a time in the past.'),
  filter_invalid: entry(400, 'Invalid filter', 'Correct the part that the answer names.'),
  route_invalid: entry(
    400,
    'Invalid route',
    'Use route only in a set with a distribution bin, with a value of its type.',
  ),
  index_exists: entry(409, 'Index exists', 'Choose another name, or drop the index first.'),
  index_not_found: entry(404, 'No such index', 'List the indexes of the namespace.'),
  index_building: entry(503, 'Index is still building', 'Wait for its job to end.'),
  index_limit: entry(409, 'Too many indexes', 'Drop one you no longer need.'),
  job_not_found: entry(404, 'No such job', 'List the jobs. The server keeps the newest 10,000 of each kind.'),
  job_finished: entry(409, 'Job has ended', 'Start a new job.'),
  job_limit: entry(503, 'Too many jobs at once', 'Wait for a job to end.'),
  workload_invalid: entry(400, 'Invalid workload', 'Correct the field that the answer names.'),
  workload_not_found: entry(404, 'No such workload', 'List the workloads. The server keeps the newest 10,000 runs.'),
  import_not_found: entry(404, 'No such import', 'Start a new import.'),
  import_changed: entry(
    409,
    'Upload is a different stream',
    'Send the same stream again from its first byte, or start a new import.',
  ),
  rejects_not_found: entry(
    404,
    'No reject file',
    'Check the result of the job: no row was rejected, or it was a dry run or no import.',
  ),
  reader_stalled: entry(
    408,
    'Stream was not read',
    'Read the stream without long pauses, or ask the operator to raise TESSERA_READER_PATIENCE.',
  ),
  migration_not_found: entry(404, 'No migration', 'The namespace does not migrate.'),
  migration_active: entry(409, 'Namespace migrates', 'Try again when the migration has ended.'),
  migration_not_ready: entry(409, 'Migration is not ready', 'Wait until its phase is the one that the answer names.'),
  migration_failed: entry(
    409,
    'Migration has failed',
    'Resume the migration, or end it. The namespace goes on with the store that it had.',
  ),
  aborted: entry(409, 'Aborted', 'The job was aborted. Start it again.'),
  stop_writes: entry(
    507,
    'Writes are stopped: almost full',
    'Delete records, let some expire, or raise the limit that the answer names. Reads and deletes still work.',
  ),
  device_full: entry(507, 'Device is full', 'Delete records, or raise the capacity.'),
  device_overload: entry(503, 'Device is too slow', 'Wait for the seconds in Retry-After. Reads still work.'),
  data_file_missing: entry(
    500,
    'Data file is missing',
    "Put the namespace's file back, or mount its device, and open it again.",
  ),
  data_file_damaged: entry(500, 'Data file is damaged', 'Restore the file from a backup, or drop the namespace.'),
  data_file_foreign: entry(500, 'Data file belongs to something else', 'Point the server at its own data directory.'),
  data_file_version_unknown: entry(500, 'Data file has another version', 'Start the version of Tessera that wrote it.'),
  log_damaged: entry(
    500,
    'Log is damaged',
    'Restore the log from a backup, or open the namespace again and accept the loss that the message names.',
  ),
  data_rolled_back: entry(
    500,
    'Data files are older than before',
    'Put the newest files back, or open the namespace again and accept the loss that the message names.',
  ),
  orphan_not_found: entry(404, 'No such folder', 'List the orphaned folders with GET /api/v1/orphans.'),
  orphan_not_adoptable: entry(
    409,
    'Folder cannot be adopted',
    'Follow the answer, or delete the folder if nobody needs it.',
  ),
  no_loss: entry(
    409,
    'No loss to accept',
    'Leave out acceptLoss. It is for a namespace that failed with log_damaged, data_rolled_back or record_damaged.',
  ),
  write_uncertain: entry(
    503,
    'Outcome of the write is unknown',
    'Read the record to see whether the write took effect. If it did not, repeat it.',
  ),
  cluster_unavailable: entry(
    503,
    'Cluster does not answer',
    'Repeat the request after the seconds in Retry-After. If it goes on, check the nodes that the answer names.',
  ),
  cluster_refused: entry(
    502,
    'Cluster refuses this server',
    'Ask the operator to correct user, password and rights of the server on the cluster, then open the namespace again.',
  ),
  memory_full: entry(507, 'Memory is full', 'Delete records, or add memory.'),
  memory_busy: entry(
    503,
    'Other requests use the memory',
    'Repeat the request after the seconds in Retry-After, or ask for less at once.',
  ),
  request_too_large: entry(
    413,
    'Request needs too much memory',
    'Ask for fewer records, groups or elements at once, or raise TESSERA_REQUEST_BYTES.',
  ),
  storage_failed: entry(500, 'Storage failed', 'Read the log of the server.'),
  namespace_poisoned: entry(
    503,
    'Namespace has stopped writes',
    'Fix the failure that the answer names, then restart the server.',
  ),
  data_directory_unavailable: entry(
    503,
    'Data directory takes no writes',
    'Restore the directory, or mount it writable; writes then resume by themselves. Reads still work.',
  ),
  data_directory_locked: entry(
    500,
    'Data directory is in use',
    'Stop the other server on this directory, or use another directory.',
  ),
  manifest_damaged: entry(500, 'Manifest is damaged', 'Restore the data directory from a backup.'),
  manifest_version_unknown: entry(500, 'Manifest has another version', 'Start the version of Tessera that wrote it.'),
  closed: entry(503, 'Server is closing', 'Repeat the request when the server is back.'),
  internal: entry(500, 'Internal error', 'Report it with the requestId.'),
} as const

/** Codes of the gateway itself. */
const gatewayErrors = {
  auth_required: entry(
    401,
    'Authentication is required',
    'Send Authorization: Bearer with the token, or open a login link.',
  ),
  auth_invalid: entry(401, 'Credentials are wrong', 'Use the token in the data directory.'),
  login_code_invalid: entry(
    401,
    'Login link was used or has expired',
    'Create a new link with POST /api/v1/auth/login. Each works once.',
  ),
  too_many_logins: entry(429, 'Too many failed logins', 'Wait for the seconds in Retry-After.'),
  origin_refused: entry(403, 'Request comes from another site', 'Call from the console, or with the token.'),
  host_refused: entry(403, 'Host name is not local', 'Without authentication, use localhost or 127.0.0.1.'),
  confirm_required: entry(428, 'Confirmation is required', 'Send the name in X-Confirm, as the answer says.'),
  too_many_streams: entry(
    503,
    'Too many streams',
    'Close a stream you no longer read, or wait for the seconds in Retry-After.',
  ),
  overloaded: entry(503, 'Server is overloaded', 'Repeat the request after the seconds in Retry-After.'),
  precondition_failed: entry(412, 'Resource has changed', 'Read it again, merge, and send its new ETag.'),
  if_match_invalid: entry(400, 'Invalid If-Match', 'Send the ETag exactly as you received it.'),
  field_unknown: entry(400, 'Unknown field', 'Leave it out, or correct its name.'),
  field_missing: entry(400, 'Field is missing', 'Add the field that the answer names.'),
  field_invalid: entry(400, 'Invalid field', 'Correct the value of the field that the answer names.'),
  job_kind_unsupported: entry(
    400,
    'Job kind cannot be started here',
    'Start scan, count, truncate, scrub, calibrate or compaction.',
  ),
  experiment_not_found: entry(404, 'No such experiment', 'List the experiments with GET /api/v1/lab.'),
  lab_run_not_found: entry(404, 'No such run of the lab', 'List the runs. The server keeps the last 50.'),
  query_not_found: entry(404, 'No such saved query', 'List them with GET /api/v1/queries.'),
  query_exists: entry(409, 'Saved query exists', 'Choose another name, or replace the saved query.'),
  query_limit: entry(409, 'Too many saved queries', 'Delete one you no longer need.'),
  alert_rule_not_found: entry(404, 'No such alert rule', 'List them with GET /api/v1/alerts/rules.'),
  alert_rule_limit: entry(409, 'Too many alert rules', 'Delete one you no longer need.'),
  alert_metric_unknown: entry(400, 'No such metric', 'Use a metric of GET /api/v1/alerts/metrics.'),
  alert_webhook_missing: entry(404, 'No webhook', 'Set one with PUT /api/v1/alerts/webhook.'),
  alert_webhook_refused: entry(
    400,
    'Webhook address is not public',
    'Use a public address, or start the server with TESSERA_WEBHOOK_PRIVATE=true.',
  ),
  lab_busy: entry(409, 'Another experiment is running', 'Wait for it to end, or abort it.'),
  idempotency_key_invalid: entry(400, 'Invalid Idempotency-Key', 'Send 1 to 255 printable ASCII characters.'),
  idempotency_key_reused: entry(
    422,
    'Idempotency-Key was used for another request',
    'Use a new key for each new request. Repeat a key only to repeat the same request.',
  ),
  idempotency_key_in_use: entry(
    409,
    'First request is still running',
    'Wait for the seconds in Retry-After, then repeat the request.',
  ),
  idempotency_key_unsupported: entry(
    400,
    'Idempotency-Key is not supported here',
    'Leave it out. Rows with their own keys can be sent again.',
  ),
  import_offset: entry(
    409,
    'Upload continues at another byte',
    'Send from receivedBytes of GET /api/v1/imports/{jobId}.',
  ),
  import_busy: entry(409, 'Upload is in progress', 'Wait for the other request to end, then read receivedBytes.'),
  body_missing: entry(400, 'Body is missing', 'Send a body.'),
  body_truncated: entry(
    400,
    'Body ended early',
    'Send all the bytes that Content-Length announces. An import continues with PUT /api/v1/imports/{jobId}.',
  ),
  body_too_large: entry(413, 'Body is too large', 'Send less at once, or use an import.'),
  body_timeout: entry(
    408,
    'Body arrived too slowly',
    'Send it again. An import continues with PUT /api/v1/imports/{jobId}.',
  ),
  answer_too_large: entry(400, 'Answer is too large', 'Use pages, or ask for fewer records at once.'),
  headers_too_large: entry(431, 'Headers are too large', 'Send fewer or shorter headers.'),
  request_timeout: entry(408, 'Request arrived too slowly', 'Send it again.'),
  content_length_invalid: entry(400, 'Invalid Content-Length', 'Send the size of the body, in bytes.'),
  expectation_failed: entry(417, 'Expectation is not supported', 'Send no Expect header, or 100-continue.'),
  request_malformed: entry(400, 'Request is not HTTP', 'Check the client.'),
  url_invalid: entry(400, 'Invalid URL', 'Check its percent-encoding.'),
  encoding_unsupported: entry(
    415,
    'Content-Encoding is not supported',
    'Use gzip or zstd for an import, and none elsewhere.',
  ),
  media_type_unsupported: entry(415, 'Content-Type is not supported', 'Send the type that the answer names.'),
  not_acceptable: entry(406, 'Answer format is not available', 'Accept a type that the answer names.'),
  method_not_allowed: entry(405, 'Method is not allowed', 'Use a method listed in Allow.'),
  route_not_found: entry(404, 'No such route', 'See /api/v1/openapi.json.'),
} as const

export const errorTable = { ...coreErrors, ...gatewayErrors }

export type ErrorCode = keyof typeof errorTable

export const coreErrorCodes = Object.keys(coreErrors) as (keyof typeof coreErrors)[]

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code)
}
