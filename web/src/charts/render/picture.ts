import { lookOf } from '../spec/palette'
import { shownSeries } from '../spec/scale'
import { Painter, type AnyCanvas } from './painter'
import type { Drawing } from './protocol'

const RATIO = 2
const MARGIN = 12
const TITLE_HEIGHT = 30
const LEGEND_HEIGHT = 22
const KEY_WIDTH = 20
const KEY_GAP = 6
const ENTRY_GAP = 16

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** The chart with its title and legend as a PNG, at twice the size of the page. */
export async function pictureOf(drawing: Drawing, title: string, newCanvas: () => AnyCanvas): Promise<Blob> {
  const { width, height, theme } = drawing
  const legend = shownSeries(drawing.spec, drawing.view)
  const sheet = newCanvas()
  const head = TITLE_HEIGHT + LEGEND_HEIGHT
  sheet.width = width * RATIO
  sheet.height = (head + height) * RATIO
  const context = sheet.getContext('2d') as Context | null
  if (context === null) throw new Error('this browser cannot draw images')
  context.scale(RATIO, RATIO)
  context.fillStyle = theme.panel
  context.fillRect(0, 0, width, head + height)
  context.textBaseline = 'middle'
  context.fillStyle = theme.ink
  context.font = `600 15px ${theme.font}`
  context.fillText(title, MARGIN, TITLE_HEIGHT / 2)
  context.font = `12px ${theme.font}`
  let left = MARGIN
  for (const { name, colour } of legend) {
    left = entry(context, left, TITLE_HEIGHT + LEGEND_HEIGHT / 2, name, theme.series[colour], lookOf(colour).dash)
  }
  const plot = newCanvas()
  const painter = new Painter(plot)
  painter.draw({ ...drawing, ratio: RATIO })
  context.drawImage(plot, 0, head, width, height)
  painter.dispose()
  return blobOf(sheet)
}

/** A line as in the chart, and its name. Answers where the next entry begins. */
function entry(
  context: Context,
  left: number,
  middle: number,
  name: string,
  paint: string,
  dash: readonly number[],
): number {
  context.strokeStyle = paint
  context.lineWidth = 2
  context.setLineDash([...dash])
  context.beginPath()
  context.moveTo(left, middle)
  context.lineTo(left + KEY_WIDTH, middle)
  context.stroke()
  context.fillText(name, left + KEY_WIDTH + KEY_GAP, middle)
  return left + KEY_WIDTH + KEY_GAP + context.measureText(name).width + ENTRY_GAP
}

function blobOf(canvas: AnyCanvas): Promise<Blob> {
  if (!('toBlob' in canvas)) return canvas.convertToBlob({ type: 'image/png' })
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the image is too large')) : resolve(blob)), 'image/png'),
  )
}
