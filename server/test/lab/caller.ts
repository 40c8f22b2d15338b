// The half of a caller that streams, for experiments that only call.
import type { Caller } from '../../src/lab/caller.js'

const refuse = () => Promise.reject(new Error('this experiment sends no streams'))

export const noStreams: Pick<Caller, 'upload' | 'download'> = { upload: refuse, download: refuse }
