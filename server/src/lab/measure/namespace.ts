// A temporary namespace of an experiment.
import type { NamespaceConfig } from '../../schemas/namespaces/namespaces.js'
import type { Bench } from '../experiment.js'

/** Returns the result of `work`. Always drops the namespace afterwards. */
export async function inNamespace<T>(
  bench: Bench,
  suffix: string,
  settings: Omit<NamespaceConfig, 'name'>,
  work: (namespace: string) => Promise<T>,
): Promise<T> {
  bench.signal.throwIfAborted()
  const name = `${bench.prefix}-${suffix}`
  await bench.api.call('POST', '/namespaces', { name, ...settings })
  try {
    return await work(name)
  } finally {
    await bench.api.call('DELETE', `/namespaces/${name}`, undefined, name)
  }
}
