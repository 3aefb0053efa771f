import { askOutside, jsonResponse } from './outside.ts'
import type { World } from './world.ts'

/** The site's entry in `SHARE_PROVIDERS`. */
export const PROVIDER = {
  name: 'chirp',
  hosts: ['chirp.test'],
  postPath: '^/[^/]+/status/([0-9]+)$',
  endpoint: 'http://chirp.test/oembed',
} as const

interface Post {
  author: string
  text: string
}

/** A site where players share posts. It answers as https://oembed.com says, or does not. */
export class ShareSite {
  readonly #world: World
  readonly #posts = new Map<string, Post>()

  constructor(world: World) {
    this.#world = world
  }

  /** The links of all posts, oldest first. */
  get links(): string[] {
    return [...this.#posts.keys()]
  }

  /** Shares a post. Returns its link. */
  share(post: Post): string {
    const link = `http://chirp.test/${post.author}/status/${this.#posts.size + 1}`
    this.#posts.set(link, post)
    return link
  }

  ask(url: URL, init: RequestInit | undefined): Promise<Response> {
    return askOutside(this.#world, 'posts', 'oembed', init, (crossing) => {
      const { random, faults } = this.#world
      const post = this.#posts.get(url.searchParams.get('url') ?? '')
      if (!post) return jsonResponse({}, 404)
      if (faults.isOn && random.chance(`${crossing} fails`, 0.1)) return jsonResponse({}, 503)
      return jsonResponse({ author_url: `http://chirp.test/${post.author}`, html: post.text })
    })
  }
}
