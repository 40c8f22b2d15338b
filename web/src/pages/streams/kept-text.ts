import { dropKept, getKept, parseKept, putKept } from '../../kept'
import type { StreamsSearch } from './search'

const TEXT = 'tessera.streams.text'

/** Keeps what a window shows at its address: a text may be some letters ahead of it, or too long for it. */
export function keepText({ ns, request }: StreamsSearch, text: string): void {
  const took = putKept('sessionStorage', TEXT, JSON.stringify({ ns, request, text }))
  // An older text would come back as the one that was typed last.
  if (!took) dropKept('sessionStorage', TEXT)
}

/** What this window last showed, where it was at this address. */
export function keptText({ ns, request }: StreamsSearch): string | undefined {
  const kept = parseKept(getKept('sessionStorage', TEXT))
  const same = kept !== undefined && kept['ns'] === ns && kept['request'] === request
  return same && typeof kept['text'] === 'string' ? kept['text'] : undefined
}
