import type { Preview } from '../../preview/previews.ts'

/** Where a page and its picture are. */
interface Addresses {
  url: string
  picture: string
}

/** Writes the tags that platforms read from a page: https://ogp.me and Twitter's cards. */
export function metaTags({ title, description }: Preview, { url, picture }: Addresses): string {
  const properties = {
    'og:site_name': 'Fairhouse',
    'og:type': 'website',
    'og:title': title,
    'og:description': description,
    'og:url': url,
    'og:image': picture,
    'og:image:type': 'image/png',
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': title,
  }
  const tags = Object.entries(properties).map(
    ([property, content]) => `<meta property="${property}" content="${escaped(content)}" />`,
  )
  return [...tags, '<meta name="twitter:card" content="summary_large_image" />'].join('\n    ')
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
  return text.replaceAll(/[&"<>]/g, (character) => entities[character] ?? '')
}
