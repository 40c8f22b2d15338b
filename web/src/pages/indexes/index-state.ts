import type { Index } from '../../api/types'

/** The tone of a state's badge. */
export const indexState: Record<Index['state'], string> = { building: 'accent', ready: 'good', failed: 'bad' }
