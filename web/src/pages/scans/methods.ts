const words: Record<string, string> = {
  'set-index': 'the set index',
  'set-column': 'the set column',
  all: 'every record',
  'device-sequential': 'the device, block by block',
  'token-ranges': 'every row of the cluster',
}

/** The method of a plan or job, in words. */
export function methodWords(method: string): string {
  return words[method] ?? method
}
