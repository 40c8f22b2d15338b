const SCALE = 2
const TITLE_HEIGHT = 30
const TITLE_FONT = '600 15px'
const TITLE_LEFT = 10

interface Sheet {
  title: string
  background: string
  ink: string
  font: string
}

/** A chart as an image with its title, at twice the size of the page. */
export async function svgPng(svg: SVGSVGElement, { title, background, ink, font }: Sheet): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect()
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * SCALE)
  canvas.height = Math.round((height + TITLE_HEIGHT) * SCALE)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser cannot draw images')
  const picture = await loaded(new XMLSerializer().serializeToString(svg))
  context.scale(SCALE, SCALE)
  context.fillStyle = background
  context.fillRect(0, 0, width, height + TITLE_HEIGHT)
  context.fillStyle = ink
  context.font = `${TITLE_FONT} ${font}`
  context.textBaseline = 'middle'
  context.fillText(title, TITLE_LEFT, TITLE_HEIGHT / 2)
  context.drawImage(picture, 0, TITLE_HEIGHT, width, height)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the image is too large')) : resolve(blob)), 'image/png'),
  )
}

async function loaded(svg: string): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode()
    return picture
  } finally {
    URL.revokeObjectURL(url)
  }
}
