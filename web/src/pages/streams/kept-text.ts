import { dropKept, getKept, parseKept, putKept } from '../../kept'
import type { StreamsSearch } from './search'

const TEXT = 'tessera.streams.text'

/**
 * Stores the text of a window under its address and the one that it will have, because the text may be newer than
 * the address, or too long for it.
 */
export function keepText(addresses: StreamsSearch[], text: string): void {
  const took = putKept('sessionStorage', TEXT, JSON.stringify({ addresses, text }))
  // Otherwise an older text would come back as the newest.
  if (!took) dropKept('sessionStorage', TEXT)
}

/** The text that this window last showed at this address. */
export function keptText({ ns, request }: StreamsSearch): string | undefined {
  const kept = parseKept(getKept('sessionStorage', TEXT))
  const addresses: unknown = kept?.['addresses']
  if (typeof kept?.['text'] !== 'string' || !Array.isArray(addresses)) return undefined
  const same = addresses.some((one: StreamsSearch | null) => one?.ns === ns && one?.request === request)
  return same ? kept['text'] : undefined
}
