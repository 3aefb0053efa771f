import { describe, expect, it } from 'vitest'
import { toBase64 } from '../../../src/core/base64.ts'
import {
  logGeneration,
  logOrigin,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint,
} from '../../../src/transparency/checkpoint.ts'
import { EMPTY_ROOT, leafHash } from '../../../src/transparency/merkle.ts'
import {
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signaturesOf,
  signerKey,
  signNote,
  writeSignerKey,
  writeVerifierKey,
  type Note,
  type SignerKey,
  type VerifierKey,
} from '../../../src/transparency/note.ts'
import { C2SP_NOTE, COSIGNED, GO_NOTE } from './vectors.ts'

const verifier = (text: string) => parseVerifierKey(text) as VerifierKey
const open = (text: string, ...keys: string[]) => {
  const note = parseNote(text)
  const signed = note && signaturesOf(note, keys.map(verifier))
  return signed && signed.map(({ key }) => key.name)
}

/** Every text that differs from a key in one place, as Go's tests make them. */
function* manglings(key: string): Generator<string> {
  for (let from = 0; from < key.length; from++) {
    for (let to = from + 1; to <= key.length; to++) {
      if (from > 0 || to < key.length) yield key.slice(from, to)
    }
  }
  for (let at = 0; at < key.length; at++) {
    yield key.slice(0, at) + String.fromCharCode(key.charCodeAt(at) + 1) + key.slice(at + 1)
  }
}

describe('a key', () => {
  it('is read and written as by Go', () => {
    const signer = parseSignerKey(GO_NOTE.signer) as SignerKey
    expect(writeVerifierKey(signer.verifier)).toBe(GO_NOTE.verifier)
    expect(writeSignerKey(signer)).toBe(GO_NOTE.signer)
    for (const key of [GO_NOTE.verifier, C2SP_NOTE.verifier, ...COSIGNED.witnesses]) {
      expect(writeVerifierKey(verifier(key))).toBe(key)
    }
  })

  it('is refused with any change', () => {
    expect([...manglings(GO_NOTE.verifier)].filter((key) => parseVerifierKey(key))).toEqual([])
    expect(GO_NOTE.badVerifiers.filter((key) => parseVerifierKey(key))).toEqual([])
    expect([...manglings(GO_NOTE.signer)].filter((key) => parseSignerKey(key))).toEqual([])
  })
})

describe('a signed note', () => {
  const { text, signature, otherSignature } = GO_NOTE

  it('has the signature that Go’s implementation makes', () => {
    const signer = parseSignerKey(GO_NOTE.signer) as SignerKey
    expect(signNote(text, signer)).toBe(`${text}\n${signature}`)
  })

  it('is verified by the keys that are known', () => {
    const both = `${text}\n${signature}${otherSignature}`
    expect(open(both, GO_NOTE.verifier)).toEqual(['PeterNeumann'])
    expect(open(both, GO_NOTE.otherVerifier)).toEqual(['EnochRoot'])
    expect(open(both, GO_NOTE.verifier, GO_NOTE.otherVerifier)).toHaveLength(2)
    expect(open(both)).toEqual([])
    expect(open(both + signature, GO_NOTE.verifier)).toEqual(['PeterNeumann'])
    expect(open(C2SP_NOTE.note, C2SP_NOTE.verifier)).toEqual(['example.com/foo'])
  })

  it('is not believed if the signature of a known key is wrong', () => {
    const wrong = `${text}\n${signature.replace('ZJku', 'ZJkv')}`
    expect(open(wrong, GO_NOTE.verifier)).toBeNull()
    expect(open(wrong, GO_NOTE.otherVerifier)).toEqual([])
    expect(open(`Other text\n\n${signature}`, GO_NOTE.verifier)).toBeNull()
  })

  it.each([
    text,
    `${text}\n`,
    `${text}\n${signature.slice(0, -1)}`,
    `\u0001${text}\n${signature}`,
    `\ud800${text}\n${signature}`,
    `${text}\n— Bad Name x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`,
    `${text}\n${signature}Unexpected line.\n`,
    `${text}\n${signature.repeat(101)}`,
    `${'x'.repeat(70_000)}\n\n${signature}`,
  ])('is not %j', (note) => {
    expect(parseNote(note)).toBeNull()
  })
})

describe('a checkpoint', () => {
  const key = signerKey('play.example.com/log', new Uint8Array(32).fill(7))
  const log = key.verifier
  const [size, root] = [20_852_163, leafHash(Uint8Array.of(1))]

  it('is named by the host of the site', () => {
    expect(logOrigin('https://play.example.com')).toBe('play.example.com/log')
    expect(logOrigin('http://localhost:8787')).toBe('localhost:8787/log')
  })

  it('is named by its generation too if it succeeds another one', () => {
    const site = 'https://play.example.com'
    expect(logOrigin(site, 2)).toBe('play.example.com/log/2')
    const names = ['/log', '/log/2', '/log/10', '/log/1', '/log/02', '/log/2/', '/logs', '']
    const generations = names.map((name) => logGeneration(site, `play.example.com${name}`))
    expect(generations).toEqual([1, 2, 10, null, null, null, null, null])
    expect(logGeneration(site, 'other.example.com/log/2')).toBeNull()
  })

  it('is believed with the signature of its log', () => {
    const text = signCheckpoint({ size, root }, key)
    expect(openCheckpoint(text, log)).toMatchObject({ origin: 'play.example.com/log', size, root })
    expect(openCheckpoint(text.replace('20852163', '20852164'), log)).toBeNull()
    expect(openCheckpoint(text, signerKey(log.name, new Uint8Array(32)).verifier)).toBeNull()
  })

  it('is not believed if it is of another log, although the key signed it', () => {
    const body = `other.example/log\n1\n${toBase64(root)}\n`
    expect(openCheckpoint(signNote(body, key), log)).toBeNull()
  })

  it('has the cosignatures of public witnesses, each with its time', () => {
    const witnesses = COSIGNED.witnesses.map(verifier)
    const opened = openCheckpoint(COSIGNED.checkpoint, verifier(COSIGNED.log), witnesses)
    expect(opened?.size).toBe(1_432_088_532)
    expect(opened?.signatures.map(({ key: { name }, at }) => [name, at])).toEqual([
      ['arche2025h1.staging.ct.transparency.dev', null],
      ...witnesses.map(({ name }) => [name, 1_779_573_024]),
    ])
    const { body, signatures } = parseNote(COSIGNED.checkpoint) as Note
    expect(signaturesOf({ body: body.replace('1432', '1433'), signatures }, witnesses)).toBeNull()
  })

  it.each([
    'log\n1\n',
    'log\n01\nROOT\n',
    'log\n-1\nROOT\n',
    'log\n1e3\nROOT\n',
    '\n1\nROOT\n',
    'log\n1\nROOT',
    'log\n1\nROOT\n\n',
    'log\n1\nAAAA\n',
    'log\n99999999999999999\nROOT\n',
  ])('is not %j', (text) => {
    expect(parseCheckpoint(text.replace('ROOT', toBase64(EMPTY_ROOT)))).toBeNull()
  })

  it('may have lines of extensions', () => {
    const text = `log\n0\n${toBase64(EMPTY_ROOT)}\nextension\n`
    expect(parseCheckpoint(text)).toEqual({ origin: 'log', size: 0, root: EMPTY_ROOT })
  })
})
