const words: Record<string, string> = {
  'set-index': 'the set index',
  'set-column': 'the set column',
  all: 'every record',
  'device-sequential': 'the device, block by block',
}

/** A way of finding records, as a plan or a job names it, in words. */
export function methodWords(method: string): string {
  return words[method] ?? method
}
