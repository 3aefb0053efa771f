import { Canvas } from '../../preview/canvas.ts'
import { drawMark } from '../../preview/mark.ts'
import { encodePng } from '../../preview/png.ts'

/** The ground of the page's icon. */
const GROUND = 0x0b7a5e
const WHITE = 0xffffff
const POINT = 0xffd166

/** The icons of the installed page, by file. Systems cut their corners, and more of a maskable one. */
const ICONS = {
  '192.png': { size: 192, scale: 1 },
  '512.png': { size: 512, scale: 1 },
  // A system may keep only a circle of four fifths of it.
  'maskable.png': { size: 512, scale: 0.8 },
  'apple.png': { size: 180, scale: 0.9 },
}

/** Returns the icons as PNG, by file. */
export async function drawIcons(): Promise<[file: string, png: Uint8Array][]> {
  return Promise.all(
    Object.entries(ICONS).map(async ([file, { size, scale }]): Promise<[string, Uint8Array]> => {
      const canvas = new Canvas(size, size, GROUND)
      const inks = { curve: canvas.ink(WHITE), point: canvas.ink(POINT) }
      const margin = (size * (1 - scale)) / 2
      drawMark(canvas, [margin, margin], size * scale, inks)
      return [file, await encodePng(canvas)]
    }),
  )
}
