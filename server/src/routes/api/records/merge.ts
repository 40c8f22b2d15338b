// Merge-patches of records (RFC 7396). The core merges bins; maps inside bins are merged here, against the generation that
// was read.
import type { FastifyRequest } from 'fastify'
import type { WriteResult } from '../../../schemas/records/records.js'
import type { KeyInput, WriteOptions } from '../../../engines/engine.js'
import { GatewayError, toFailure } from '../../../errors.js'
import { parseStrictJson } from '../../../json/strict.js'
import { unpack } from '../../../msgpack/decode.js'
import { encode } from '../../../msgpack/encode.js'
import { packJson } from '../../../msgpack/from-json.js'
import { written } from '../../../msgpack/to-json.js'
import { isMap, type JsonMap, mergePatch } from '../../../requests/merge-patch.js'
import { generationIn } from './generation.js'
import { say } from '../../../sentences/sentence.js'

/** Tries while others change the record in between. */
const TRIES_MAX = 16

export interface MergeTarget {
  ns: string
  set: string
  key: KeyInput
}

/** @throws GatewayError `record_not_found`, `generation_mismatch`, those of JSON, and as the engine */
export async function mergeRecord(
  request: FastifyRequest,
  { ns, set, key }: MergeTarget,
  patch: Buffer,
  options: WriteOptions,
): Promise<WriteResult> {
  const { engine } = request
  // It says what is wrong with the text. The core says what is wrong with the values.
  if (!isMap(parseStrictJson(patch))) return engine.putRecord(ns, set, key, patch, options)
  const changes = exact(patch) as JsonMap
  const nested = Object.keys(changes).filter((name) => isMap(changes[name]))
  if (nested.length === 0) return engine.putRecord(ns, set, key, patch, options)
  for (let tries = 1; ; tries += 1) {
    const record = await engine.getRecord(ns, set, key, { shape: 'record', bins: nested })
    if (record === null)
      throw new GatewayError('record_not_found', say('there is no record with this key'), { field: 'key' })
    const generation = generationIn(record)
    if (options.generation !== undefined && options.generation !== generation)
      throw new GatewayError('generation_mismatch', say('the record has the generation {generation}', { generation }), {
        field: 'if-match',
      })
    const { bins } = exact(record) as { bins: JsonMap }
    const merged = Object.entries(changes).map(([name, change]) => [name, mergedBin(bins[name], change)] as const)
    const body = encode('json', written(Object.fromEntries(merged)))
    try {
      return await engine.putRecord(ns, set, key, body, { ...options, generation, generationPolicy: 'equal' })
    } catch (error) {
      const isLost = toFailure(error).code === 'generation_mismatch' && options.generation === undefined
      if (!isLost || tries === TRIES_MAX) throw error
    }
  }
}

/** A bin that is null is deleted by the core. */
const mergedBin = (bin: unknown, change: unknown): unknown => (change === null ? null : mergePatch(bin, change))

const exact = (json: Buffer): unknown => unpack(packJson(json.toString()), [], { exactDoubles: true })
