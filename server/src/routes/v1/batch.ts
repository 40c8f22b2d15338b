// /v1/batch: reads, writes and deletes of records by key, each with its own result.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { App } from '../../app-types.js'
import { refuseIfReadOnly } from '../../auth/changes.js'
import type { Engine, KeyInput, OperateForm } from '../../engines/engine.js'
import { errorTable } from '../../error-table.js'
import { GatewayError, toFailure } from '../../errors.js'
import { record } from '../../live/observe.js'
import { encode, type Wire, Written } from '../../msgpack/encode.js'
import { BatchItem, batchItems, CompatibleBatch } from '../../schemas/v1.js'
import { isInDoubt, resultCodes } from './wire/errors.js'
import { namedKey } from './wire/keys.js'
import { filterPolicy, generationPolicy, type Query, writePolicy } from './wire/policies.js'
import { answerWire, bodyWire, frame, scalar, sendFrame, shapeOf } from './wire/wire.js'

/** Most records and bytes of one batch. The gateway parses its frame, not the core. */
const RECORDS_MAX = 5000
const BODY_MAX = 16 * 1024 * 1024
/** Reads in flight of a batch without changes. */
const READS = 32

type Item = Static<typeof BatchItem>

/** Policies of one record. Policies without meaning on one node are accepted and ignored. */
const policyNames = new Set([
  'filterExp',
  'readModeAP',
  'readModeSC',
  'recordExistsAction',
  'commitLevel',
  'generationPolicy',
  'generation',
  'expiration',
  'durableDelete',
  'onLockingOnly',
  'sendKey',
])

const resultTexts: Readonly<Record<number, string>> = {
  0: 'ok',
  1: 'Server error',
  2: 'Key not found',
  3: 'Generation error',
  4: 'Parameter error',
  5: 'Key already exists',
  8: 'Server memory error',
  12: 'Bin type error',
  13: 'Record too big',
  16: 'Unsupported Server Feature',
  20: 'Namespace not found',
  21: 'Bin name length greater than 14 characters or maximum bins exceeded',
  27: 'Transaction filtered out',
  81: 'Role violation',
}

interface Asked {
  key: object
  /** Resolves with the record; null: it does not exist; undefined: nothing to read. */
  run: (engine: Engine) => PromiseLike<Buffer | null | undefined> | Buffer | null
}

export function compatibleBatchRoutes(app: App): void {
  const limit = Math.min(BODY_MAX, app.config.bodyLimitBytes)
  app.post(
    '/batch',
    {
      onResponse: observeAll,
      config: { body: frame({ raw: ['opsList', 'userKey'], limit }) },
      schema: {
        operationId: 'compatibleBatch',
        tags: ['v1'],
        summary: 'Run a batch of reads, writes and deletes',
        description:
          'Runs up to 5,000 items, at most 16 MiB, in their order. Each has its own result code, so that one ' +
          'failure does not stop the others.',
        body: Type.Array(BatchItem, { description: 'The items, at most 5,000.', examples: [batchItems] }),
        response: { 200: CompatibleBatch },
      },
    },
    async (request, reply) => {
      if (request.body.length > RECORDS_MAX)
        throw new GatewayError(
          'field_invalid',
          `A batch must have at most ${RECORDS_MAX} records, got ${request.body.length}`,
        )
      // Parse the whole batch before anything is executed.
      const asked = request.body.map((item) => readItem(item, bodyWire(request), answerWire(request)))
      const reads = request.body.every(({ type }) => type === 'READ')
      if (!reads) refuseIfReadOnly(app.config)
      const width = reads ? READS : 1
      return sendFrame(request, reply, { batchRecords: await runAll(request, asked, width) })
    },
  )
}

/** Runs all items in order, `width` at once. */
async function runAll(request: FastifyRequest, asked: readonly Asked[], width: number): Promise<object[]> {
  const results: object[] = []
  let bytes = 0
  for (let at = 0; at < asked.length; at += width) {
    const group = asked.slice(at, at + width)
    const outcomes = await Promise.all(group.map(({ run }) => outcome(run, request)))
    for (const [place, { code, record, inDoubt = false }] of outcomes.entries()) {
      bytes += record?.length ?? 0
      results.push({
        resultCode: code,
        resultCodeString: resultTexts[code] ?? 'Server error',
        record: record === undefined ? undefined : new Written(record),
        key: group[place]?.key,
        inDoubt,
      })
    }
    if (bytes > request.server.config.bodyLimitBytes)
      throw new GatewayError('answer_too_large', 'The records do not fit into one answer; ask for fewer')
  }
  return results
}

/** What came of an item. */
interface Outcome {
  code: number
  record?: Buffer
  inDoubt?: boolean
}

async function outcome(run: Asked['run'], request: FastifyRequest): Promise<Outcome> {
  try {
    const record = await run(request.engine)
    if (record === null) return { code: 2 }
    return record === undefined ? { code: 0 } : { code: 0, record }
  } catch (error) {
    const { code } = toFailure(error)
    const known = resultCodes[code] ?? (code === 'unsupported' ? 16 : undefined)
    if (known !== undefined) return { code: known }
    const { status } = errorTable[code]
    if (status >= 500) request.log.error({ err: error, code }, 'a record of a batch failed')
    return { code: status >= 500 ? 1 : 4, inDoubt: isInDoubt(code) }
  }
}

function readItem(item: Item, wire: Wire, answer: Wire): Asked {
  const { namespace, setName = '', keytype = 'STRING' } = item.key
  const raw = item.key.userKey
  const userKey = Buffer.isBuffer(raw) ? scalar(raw, wire) : raw
  if (typeof userKey !== 'string' && typeof userKey !== 'bigint')
    throw new GatewayError('key_invalid', 'userKey must be a string or an integer', { field: 'userKey' })
  if (typeof userKey === 'bigint' && BigInt.asIntN(64, userKey) !== userKey)
    throw new GatewayError('key_invalid', 'Integer value too large', { field: 'userKey' })
  const key = namedKey(String(userKey), keytype)
  const echo = { namespace, ...(setName !== '' && { setName }), keytype, userKey }
  return { key: echo, run: runner(item, namespace, setName, key, asQuery(item.policy), wire, answer) }
}

function runner(
  item: Item,
  namespace: string,
  set: string,
  key: KeyInput,
  policy: Query,
  wire: Wire,
  answer: Wire,
): Asked['run'] {
  const operations = item.opsList as Buffer | undefined
  const form: OperateForm = {
    dialect: 'typed',
    write: writePolicy(policy, 'merge', wire),
    answer: shapeOf(answer),
    respondAll: false,
    readOnly: item.type === 'READ',
  }
  const operate = (list: Buffer, form: OperateForm) => (engine: Engine) =>
    engine.operateRecord(namespace, set, key, list, form)
  switch (item.type) {
    case 'READ': {
      if (operations !== undefined) return operate(operations, form)
      // Operations distinguish a record that does not pass the filter from a missing one.
      if (form.write.where !== undefined) return operate(encode(wire, readsOf(item)), form)
      // Neither all bins nor some: only the header.
      const bins = item.readAllBins === true ? {} : { bins: item.binNames ?? [] }
      return (engine) => engine.getRecord(namespace, set, key, { shape: form.answer, ...bins })
    }
    case 'WRITE':
      if (operations === undefined)
        throw new GatewayError('field_missing', 'A WRITE needs opsList', { field: 'opsList' })
      return operate(operations, form)
    case 'DELETE': {
      const options = { ...generationPolicy(policy), ...filterPolicy(policy) }
      return async (engine) => ((await engine.deleteRecord(namespace, set, key, options)) ? undefined : null)
    }
    default:
      throw new GatewayError('unsupported', 'UDFs are not supported', { field: 'type' })
  }
}

/** What a READ reads, as operations. */
function readsOf({ readAllBins, binNames = [] }: Item): object[] {
  if (readAllBins === true) return [{ type: 'GET' }]
  return binNames.length === 0
    ? [{ type: 'GET_HEADER' }]
    : [...new Set(binNames)].map((binName) => ({ type: 'READ', binName }))
}

/** Latency of each namespace that a batch names. */
function observeAll(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  // The body of a refused request may have any shape.
  const items = reply.statusCode < 400 ? (request.body as Item[]) : []
  for (const namespace of new Set(items.map(({ key }) => key.namespace))) record('batch', namespace, request, reply)
  done()
}

/** A policy of one record in the form of a query string. */
function asQuery(policy: Item['policy'] = {}): Query {
  const entries = Object.entries(policy)
  for (const [name, value] of entries) {
    if (!policyNames.has(name))
      throw new GatewayError('field_unknown', `${name} is not a field of the policy`, { field: name })
    if (typeof value === 'object' && value !== null)
      throw new GatewayError('field_invalid', `${name} must be a string, a number or a boolean`, { field: name })
  }
  const given = entries.filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name === 'filterExp' ? 'filterexp' : name, String(value)]))
}
