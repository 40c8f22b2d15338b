// `npm run audit:verify`: verifies the audit log of a data directory, with or without its server. Exit status: 0 if it is what
// was written, 1 if not, 2 for bad arguments.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FOLDER } from './segments.js'
import { type Report, verifyLog } from './verify.js'

const USAGE = `usage: npm run --silent audit:verify -- --data DIR [--head HASH]

  --data DIR   the data directory of the server
  --head HASH  a hash that was kept elsewhere: an entry of the log must have it`

export async function command(args: readonly string[], print: (line: string) => void): Promise<number> {
  const wanted = read(args)
  if (wanted === undefined) {
    print(USAGE)
    return 2
  }
  try {
    const report = await verifyLog(join(wanted.data, FOLDER), wanted.head === undefined ? {} : { head: wanted.head })
    print(sentence(report))
    return report.ok ? 0 : 1
  } catch (error) {
    print(`the audit log cannot be read: ${(error as Error).message}`)
    return 1
  }
}

function read(args: readonly string[]): { data: string; head: string | undefined } | undefined {
  try {
    const { data, head } = parseArgs({
      args: [...args],
      options: { data: { type: 'string' }, head: { type: 'string' } },
    }).values
    return data === undefined || (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) ? undefined : { data, head }
  } catch {
    return undefined
  }
}

function sentence({ segments, entries, head, headSeq, removedSegments, tornBytes, fault }: Report): string {
  if (fault !== undefined) {
    const place = fault.line === 0 ? fault.file : `${fault.file}, line ${fault.line}`
    return `${place}, entry ${fault.seq}: ${fault.message}`
  }
  const removed = removedSegments === undefined ? '' : `; ${removedSegments} older files were removed by the retention`
  const torn = tornBytes === undefined ? '' : `; a crash has cut off the line after it (${tornBytes} bytes)`
  const found = headSeq === undefined ? '' : `; the hash asked for is that of entry ${headSeq}`
  return `ok: ${entries} entries in ${segments} files; entry ${head.seq} has the hash ${head.hash}${found}${removed}${torn}`
}
