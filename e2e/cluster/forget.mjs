// Removes namespaces and their records from the cluster of the tests: `node forget.mjs NAME…`.
import { ask } from './cql.mjs'

const PATIENCE_MS = 60_000
const [host = '', port = ''] = (process.env['CLUSTER_CONTACT_POINTS'] ?? '').split(',')[0]?.split(':') ?? []

for (const name of process.argv.slice(2))
  await ask(host, Number(port), `DROP KEYSPACE IF EXISTS "ts_${name}"`, { patienceMs: PATIENCE_MS })
