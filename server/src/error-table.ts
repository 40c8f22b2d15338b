// One table: every code the gateway can answer, its HTTP status, its title, and what to do about it.

export interface ErrorEntry {
  status: number
  title: string
  /** What the caller can do, for docs/errors.md. */
  remedy: string
}

const entry = (status: number, title: string, remedy: string): ErrorEntry => ({ status, title, remedy })

/** Codes of the storage core, which travel unchanged. */
const coreErrors = {
  name_invalid: entry(
    400,
    'Name is not legal',
    "Use 1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-'; not '.' or '..'.",
  ),
  namespace_exists: entry(409, 'Namespace exists', 'Choose another name, or use the one that is there.'),
  namespace_not_found: entry(404, 'No such namespace', 'List the namespaces, or create this one.'),
  namespace_limit: entry(409, 'Too many namespaces', 'Drop one that is no longer needed.'),
  namespace_failed: entry(
    503,
    'Namespace could not be opened',
    'See its state and reason; repair its files and open it again, or drop it. The other namespaces are served.',
  ),
  starting: entry(503, 'Namespace is recovering', 'Wait as long as Retry-After says; /readyz shows the progress.'),
  segment_count_invalid: entry(400, 'Segment count is not legal', 'Use a power of two from 1 to 4096.'),
  config_invalid: entry(400, 'Configuration is not legal', 'Correct the field that the answer names.'),
  device_not_allowed: entry(
    403,
    'Device is not allowed',
    'Use a folder or device that TESSERA_DEVICES names, or have the operator add it.',
  ),
  unsupported: entry(501, 'Not supported by this engine', "See the namespace's capabilities."),
  set_not_found: entry(404, 'No such set', 'A set comes into being with its first record, or is created.'),
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
    'Write it again; the damage is listed in the namespace.',
  ),
  filtered_out: entry(412, 'Record does not pass the filter', 'Change the filter, or leave it out.'),
  key_invalid: entry(400, 'Key is not legal', 'Check the key against its keytype.'),
  key_too_long: entry(
    400,
    'Key is too long',
    'A key is at most 8 KiB; in a paged namespace, what the answer says: it grows with the page.',
  ),
  bin_name_invalid: entry(400, 'Bin name is not legal', 'Use 1 to 255 bytes without control characters (15 on /v1).'),
  bin_type_mismatch: entry(
    400,
    'Bin holds another type',
    'Add integers to integers and doubles to doubles; join strings to strings and bytes to bytes.',
  ),
  operation_invalid: entry(400, 'Operation is not legal', 'Correct the part that the answer names.'),
  single_bin: entry(400, 'Records have one bin here', 'Name the one bin of a record "value", and give no other.'),
  too_many_bins: entry(400, 'Too many bins', 'Use maps inside a bin.'),
  nesting_too_deep: entry(400, 'Nesting is too deep', 'Lists and maps nest at most 64 levels.'),
  number_out_of_range: entry(
    400,
    'Number is out of range',
    'Integers are 64 bits wide and signed; doubles are finite.',
  ),
  json_invalid: entry(400, 'JSON is not well formed', 'Correct the text at the place the answer names.'),
  json_duplicate_key: entry(400, 'JSON has a key twice', 'Give each key of an object once.'),
  msgpack_invalid: entry(400, 'MessagePack is not well formed', 'Correct the bytes at the place the answer names.'),
  utf8_invalid: entry(400, 'Text is not UTF-8', 'Send UTF-8.'),
  csv_invalid: entry(400, 'CSV is not well formed', "Use PostgreSQL's CSV dialect."),
  row_too_long: entry(413, 'Row is too long', 'Keep a row under the largest record; of a query, select less.'),
  column_unknown: entry(400, 'No such column', "Check the names against the file's header."),
  key_missing: entry(400, 'Row has no key', 'Name the column that holds the key, or leave ?key= out.'),
  encoding_invalid: entry(400, 'Compressed data is damaged', 'Compress the file again.'),
  ttl_invalid: entry(400, 'Time to live is not legal', 'Use seconds, at most ten years.'),
  threads_invalid: entry(400, 'Thread count is not legal', 'Use 1 to 128, or of a workload 1 to 1024.'),
  rate_invalid: entry(400, 'Rate is not legal', 'Use records per second, 0 for no limit.'),
  cursor_invalid: entry(400, 'Cursor is not legal', 'Start again without a cursor.'),
  order_invalid: entry(400, 'Order is not legal', 'Correct the part that the answer names.'),
  order_needs_limit: entry(400, 'Order needs a limit', 'Ask for the first so many, and go on with the cursor.'),
  aggregate_invalid: entry(400, 'Aggregate is not legal', 'Correct the part that the answer names.'),
  query_invalid: entry(400, 'Query is not legal', 'Correct the part of select, unnest or group that the answer names.'),
  too_many_groups: entry(422, 'Too many groups', 'Group by less, or filter first.'),
  stream_invalid: entry(400, 'Stream is not legal', 'Correct the step that the answer names.'),
  too_many_distinct: entry(422, 'Too many different elements', 'Filter first, or map to less before distinct.'),
  sample_invalid: entry(
    400,
    'Sample is not legal',
    'Ask for a share of more than 0 and at most 1, or for the first records, of which there are no pages.',
  ),
  time_in_future: entry(400, 'Time is yet to come', 'Name a time that has passed.'),
  filter_invalid: entry(400, 'Filter is not legal', 'Correct the part that the answer names.'),
  route_invalid: entry(400, 'Route is not legal', 'The set needs a distribution bin, and the value its type.'),
  index_exists: entry(409, 'Index exists', 'Choose another name, or drop the index first.'),
  index_not_found: entry(404, 'No such index', 'List the indexes of the namespace.'),
  index_building: entry(503, 'Index is still being built', 'Wait for its job.'),
  index_limit: entry(409, 'Too many indexes', 'Drop one that is no longer needed.'),
  job_not_found: entry(404, 'No such job', 'The last 500 jobs are kept.'),
  job_finished: entry(409, 'Job has ended', 'Start a new one.'),
  job_limit: entry(503, 'Too many jobs at once', 'Wait until one has ended.'),
  workload_invalid: entry(400, 'Workload is not legal', 'Correct the field that the answer names.'),
  workload_not_found: entry(404, 'No such workload', 'The last 200 runs are kept.'),
  import_not_found: entry(404, 'No such import', 'Start a new one.'),
  import_changed: entry(
    409,
    'Upload is another',
    'Send the same stream again from its first byte, or start a new import.',
  ),
  rejects_not_found: entry(
    404,
    'No reject file',
    'Rows were not rejected, or the job was no import or a dry run: see its result.',
  ),
  reader_stalled: entry(
    408,
    'Nobody read the stream',
    'Read what is asked for as it comes, or have TESSERA_READER_PATIENCE raised.',
  ),
  aborted: entry(409, 'Aborted', 'Someone aborted the job; start it again.'),
  stop_writes: entry(
    507,
    'Writes are stopped: almost full',
    'Delete records, let some expire, or raise the limit that the answer names; reads and deletes go on.',
  ),
  device_full: entry(507, 'Device is full', 'Delete records or raise the capacity.'),
  device_overload: entry(503, 'Device is too slow', 'Wait as long as Retry-After says; reads go on.'),
  data_file_missing: entry(
    500,
    'Data file is missing',
    "Put the namespace's file back, or mount its device, and open it again.",
  ),
  data_file_damaged: entry(500, 'Data file is damaged', 'Restore the file from a backup, or drop the namespace.'),
  data_file_foreign: entry(500, 'Data file is not ours', 'Point the server at its own data directory.'),
  data_file_version_unknown: entry(500, 'Data file is of another version', 'Start the version that wrote it.'),
  log_damaged: entry(
    500,
    'Log is damaged',
    'Restore the log from a backup, or open the namespace again and accept the loss that the message names.',
  ),
  data_rolled_back: entry(
    500,
    'Data files are older than they were',
    'Put the newest files back, or open the namespace again and accept the loss that the message names.',
  ),
  orphan_not_found: entry(404, 'No such folder', 'List the folders that no namespace has.'),
  orphan_not_adoptable: entry(
    409,
    'Folder cannot be adopted',
    'Do what the answer says, or remove the folder if nobody needs it.',
  ),
  no_loss: entry(
    409,
    'There is no loss to accept',
    'Leave acceptLoss out; it is for a namespace that failed with log_damaged, data_rolled_back or record_damaged.',
  ),
  write_uncertain: entry(
    503,
    'The outcome of the write is open',
    'Read the record to know whether the write took effect, then repeat it if it did not.',
  ),
  memory_full: entry(507, 'Memory is full', 'Delete records or give the machine more memory.'),
  memory_busy: entry(
    503,
    'Other requests hold the memory',
    'Send the request again after as long as Retry-After says, or ask for less at once.',
  ),
  request_too_large: entry(
    413,
    'Request needs too much memory',
    'Ask for fewer records, groups or elements at once, or raise TESSERA_REQUEST_BYTES.',
  ),
  storage_failed: entry(500, 'Storage failed', 'See the log of the server.'),
  namespace_poisoned: entry(503, 'Namespace has stopped', 'A failure stopped its writes; restart the server.'),
  data_directory_unavailable: entry(
    503,
    'Data directory takes no writes',
    'Put the directory back, or mount it writable; writes go on by themselves. Reads go on meanwhile.',
  ),
  data_directory_locked: entry(500, 'Data directory is in use', 'Another server runs on it.'),
  manifest_damaged: entry(500, 'Manifest is damaged', 'Restore the data directory from a backup.'),
  manifest_version_unknown: entry(500, 'Manifest is of another version', 'Start the version that wrote it.'),
  closed: entry(503, 'Server is closing', 'Try again when it is back.'),
  internal: entry(500, 'Internal error', 'Report it with the request id.'),
} as const

/** Codes of the gateway itself. */
const gatewayErrors = {
  auth_required: entry(
    401,
    'Credentials are needed',
    'Send Authorization: Bearer with the token, or open a login link.',
  ),
  auth_invalid: entry(401, 'Credentials are wrong', 'Read the token in the data directory again.'),
  login_code_invalid: entry(
    401,
    'Login link is spent',
    'Each link works once: make a new one with POST /api/v1/auth/login.',
  ),
  too_many_logins: entry(429, 'Too many failed logins', 'Wait as long as Retry-After says.'),
  origin_refused: entry(403, 'Request comes from another site', 'Call from the console itself, or with the token.'),
  host_refused: entry(403, 'Host name is not local', 'Without authentication, use localhost or 127.0.0.1.'),
  confirm_required: entry(428, 'Confirmation is needed', 'Repeat the name in X-Confirm, as the answer says.'),
  too_many_streams: entry(
    503,
    'Too many streams',
    'Close one that is no longer read, or wait as long as Retry-After says.',
  ),
  overloaded: entry(503, 'Server is overloaded', 'Send the request again after as long as Retry-After says.'),
  precondition_failed: entry(412, 'Resource has changed', 'Read it again, merge, and send its new ETag.'),
  if_match_invalid: entry(400, 'If-Match is not legal', 'Send the ETag as it came.'),
  field_unknown: entry(400, 'Unknown field', 'Leave it out, or correct its name.'),
  field_missing: entry(400, 'Field is missing', 'Add it.'),
  field_invalid: entry(400, 'Field is not legal', 'Correct its value.'),
  job_kind_unsupported: entry(
    400,
    'Jobs of this kind are not started here',
    'Start scan, count, truncate, scrub, calibrate or compaction.',
  ),
  experiment_not_found: entry(404, 'No such experiment', 'List the experiments with GET /api/v1/lab.'),
  lab_run_not_found: entry(404, 'No such run of the lab', 'The last 50 runs are kept.'),
  query_not_found: entry(404, 'No such saved query', 'List them with GET /api/v1/queries.'),
  query_limit: entry(409, 'Too many saved queries', 'Remove one that is no longer needed.'),
  lab_busy: entry(409, 'An experiment runs already', 'Wait until it has ended, or abort it.'),
  idempotency_key_invalid: entry(400, 'Idempotency-Key is not legal', 'Send 1 to 255 printable characters of ASCII.'),
  idempotency_key_reused: entry(
    422,
    'Idempotency-Key came with another request',
    'Use a new key for each new request, and the same only to repeat one.',
  ),
  idempotency_key_in_use: entry(
    409,
    'First request is still at work',
    'Wait as long as Retry-After says, then ask again.',
  ),
  idempotency_key_unsupported: entry(
    400,
    'Idempotency-Key is not taken here',
    'Leave it out: rows with keys of their own may be sent again.',
  ),
  import_offset: entry(409, 'Upload goes on elsewhere', 'Send from receivedBytes of GET /api/v1/imports/{jobId} on.'),
  import_busy: entry(409, 'Upload is under way', 'Wait until the other request has ended, then ask for receivedBytes.'),
  body_missing: entry(400, 'Body is missing', 'Send one.'),
  body_truncated: entry(
    400,
    'Body ended early',
    'Send as many bytes as Content-Length says; an import goes on with PUT /api/v1/imports/{jobId}.',
  ),
  body_too_large: entry(413, 'Body is too large', 'Send less at once, or import it.'),
  body_timeout: entry(
    408,
    'Body came too slowly',
    'Send it again; an import goes on with PUT /api/v1/imports/{jobId}.',
  ),
  answer_too_large: entry(400, 'Answer is too large', 'Ask for it in pages, or for fewer records at once.'),
  headers_too_large: entry(431, 'Headers are too large', 'Send fewer or shorter headers.'),
  request_timeout: entry(408, 'Request came too slowly', 'Send it again.'),
  content_length_invalid: entry(400, 'Content-Length is not legal', 'Send the number of bytes of the body.'),
  expectation_failed: entry(417, 'Expectation is not supported', 'Send no Expect header, or 100-continue.'),
  request_malformed: entry(400, 'Request is not HTTP', 'Check the client.'),
  url_invalid: entry(400, 'URL is not legal', 'Check its percent-encoding.'),
  encoding_unsupported: entry(
    415,
    'Content-Encoding is not supported',
    'Import takes gzip and zstd; other routes take none.',
  ),
  media_type_unsupported: entry(415, 'Content-Type is not supported', 'Send the type that the answer names.'),
  not_acceptable: entry(406, 'No such representation', 'Accept the type that the answer names.'),
  method_not_allowed: entry(405, 'Method is not allowed', 'Use one of those in Allow.'),
  route_not_found: entry(404, 'No such route', 'See /api/v1/openapi.json.'),
} as const

export const errorTable = { ...coreErrors, ...gatewayErrors }

export type ErrorCode = keyof typeof errorTable

export const coreErrorCodes = Object.keys(coreErrors) as (keyof typeof coreErrors)[]

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code)
}
