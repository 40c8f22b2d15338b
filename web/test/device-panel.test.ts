import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { DeviceReport } from '../src/api/types'
import { FailureNotes } from '../src/pages/namespaces/device/FailureNotes'
import { figuresOf } from '../src/pages/namespaces/device/NowTiles'

const failure = { code: 'storage_failed', message: 'writing data.tsr: I/O error' }
const lastFailure = { at: new Date(Date.now() - 180_000).toISOString(), ...failure }

function text(element: ReactElement): string {
  return renderToStaticMarkup(element)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function told(part: Partial<DeviceReport['flush']>): string {
  const flush = { queueBytes: 0, limitBytes: 1, failures: 2, ...part }
  return text(createElement(FailureNotes, { flush }))
}

test('a flush that failed is told while it keeps writes out, and afterwards with its time', () => {
  expect(told({ failures: 0 })).toBe('')
  expect(told({ failure, lastFailure })).toBe('Writes are refused: writing data.tsr: I/O error storage_failed')
  expect(told({ lastFailure })).toBe(
    '2 flushes failed since the namespace was opened, the last one 3 min ago : writing data.tsr: I/O error storage_failed . Writes work again.',
  )
})

test('tiles without a newest second tell of what waits, and that there is none', () => {
  const report: DeviceReport = {
    namespace: 'ledger',
    blockBytes: 131_072,
    disks: [],
    flush: { queueBytes: 3 * 1024 ** 2, limitBytes: 32 * 1024 ** 2, failures: 0 },
    defrag: { queueBlocks: 4, reservedBlocks: 2, freeingBlocks: 1 },
    cache: { blocks: 8, mostBlocks: 64, memoryReads: 1, diskReads: 3 },
    amplification: { appendedBytes: 100, movedBytes: 0, writtenBytes: 150, total: 1.5 },
  }
  const tiles = figuresOf({ load: undefined, figures: undefined }, report)
  const none = { value: '–', note: 'no data for the last second' }
  expect(tiles.slice(0, 4)).toEqual([none, none, none, { value: '1.50×', note: 'since it was opened' }])
  expect(tiles[4]).toMatchObject({ value: '3.00 MiB', note: 'writers wait above 32.0 MiB' })
  expect(tiles.at(-1)).toEqual({ value: '1.00 MiB', note: 'of 8.00 MiB' })
})
