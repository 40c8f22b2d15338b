/** A record's key as callers name it. */
export type KeyInput =
  { type: 'string'; value: string } | { type: 'integer'; value: bigint } | { type: 'bytes' | 'digest'; value: Buffer }
