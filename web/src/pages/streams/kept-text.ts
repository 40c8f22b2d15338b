import { dropKept, getKept, parseKept, putKept } from '../../kept'
import type { StreamsSearch } from './search'

const TEXT = 'tessera.streams.text'

/**
 * Stores the text of a window under its address, because the text may be newer than the address, or
 * too long for it.
 */
export function keepText({ ns, request }: StreamsSearch, text: string): void {
  const took = putKept('sessionStorage', TEXT, JSON.stringify({ ns, request, text }))
  // Otherwise an older text would come back as the newest.
  if (!took) dropKept('sessionStorage', TEXT)
}

/** The text that this window last showed at this address. */
export function keptText({ ns, request }: StreamsSearch): string | undefined {
  const kept = parseKept(getKept('sessionStorage', TEXT))
  const same = kept !== undefined && kept['ns'] === ns && kept['request'] === request
  return same && typeof kept['text'] === 'string' ? kept['text'] : undefined
}
