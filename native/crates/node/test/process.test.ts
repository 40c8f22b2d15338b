// What an open store does to the life of its process.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { folder } from './store.js'

const run = promisify(execFile)
const addon = new URL('../dist/index.js', import.meta.url).href

/** Runs a module with `store` open in a folder of its own; resolves with what it printed when it ends by itself. */
async function script(body: string): Promise<string> {
  const source = `import { openStore } from '${addon}'
const store = await openStore({ dataDirectory: process.argv[1] })
${body}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source, folder()], {
    timeout: 50_000,
  })
  return stdout
}

test('an open promise keeps the process alive, an open store and its frames do not', async () => {
  const printed = await script(`store.onFrame(() => {})
await store.createNamespace({ name: 'ns', storage: { engine: 'memory' } })
console.log((await store.namespaces()).length)`)
  expect(printed).toBe('1\n')
})

test('a process may end while calls, streams and imports are open', async () => {
  const printed =
    await script(`await store.createNamespace({ name: 'ns', storage: { engine: 'device' }, durability: 'commit' })
const session = await store.beginImport('ns', { set: 's', format: 'ndjson', threads: 2 })
await session.write(Buffer.from('{"key":1}\\n'.repeat(50_000)))
for (let n = 0; n < 100; n += 1) {
  store.putRecord('ns', 's', { type: 'string', value: 'k' + n }, Buffer.from('{}'), { exists: 'upsert', shape: 'record' })
}
;(await store.scan('ns', { threads: 2, shape: 'record' })).next()
console.log('leaving')
process.exit(0)`)
  expect(printed).toBe('leaving\n')
})

test('worker threads have a store each, and end cleanly', async () => {
  const printed = await script(`import { Worker } from 'node:worker_threads'
const code = \`
const { workerData } = require('node:worker_threads')
import(workerData.addon).then(async ({ openStore }) => {
  const store = await openStore({ dataDirectory: workerData.folder })
  await store.createNamespace({ name: 'ns', storage: { engine: 'memory' } })
  if (workerData.close) await store.close()
})\`
const ends = [true, false, true].map((close, n) => new Promise((resolve, reject) => {
  const workerData = { addon: '${addon}', folder: process.argv[1] + '/' + n, close }
  new Worker(code, { eval: true, workerData, execArgv: [] }).on('exit', resolve).on('error', reject)
}))
console.log((await Promise.all(ends)).join(' '))
await store.close()`)
  expect(printed).toBe('0 0 0\n')
})
