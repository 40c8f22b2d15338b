// Turns `apt-cache dumpavail` on standard input into one JSON object a package, up to a given number of them:
//   apt-cache dumpavail | node e2e/packages-to-ndjson.mjs 60000 > packages.ndjson
import { createInterface } from 'node:readline'

const limit = Number(process.argv[2] ?? Infinity)
const lists = new Set(['Depends', 'Pre-Depends', 'Recommends', 'Suggests', 'Provides', 'Conflicts', 'Breaks', 'Tag'])
let [written, name, stanza] = [0, '', /** @type {Record<string, string | number>} */ ({})]

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const field = /^([A-Z][\w-]*): ?(.*)$/.exec(line)
  if (field) stanza[(name = field[1] ?? '')] = /^\d{1,15}$/.test(field[2] ?? '') ? Number(field[2]) : (field[2] ?? '')
  else if (line !== '') stanza[name] += `\n${line}`
  else if (stanza['Package'] !== undefined) {
    const about = Object.entries(stanza).map(([key, value]) =>
      lists.has(key) ? [key, String(value).split(/,\s*/)] : [key, value],
    )
    process.stdout.write(`${JSON.stringify({ package: stanza['Package'], about: Object.fromEntries(about) })}\n`)
    stanza = {}
    if ((written += 1) === limit) process.exit()
  }
}
