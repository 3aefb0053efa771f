/**
 * Beacons of drand's quicknet chain, as published by its relays. `tampered` carries a signature
 * that was altered after publication.
 */
export const DRAND_QUICKNET = {
  beacons: [
    {
      round: 1000,
      signature:
        'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
    },
    {
      round: 27798178,
      signature:
        'b18fa6dc92304844fc4e868d708953e6b628b3f88d4381249d32264df1bfe5bc20aa0905e57fe54063010881767fd56d',
    },
  ],
  randomnessOf1000: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
  tampered: {
    round: 27798189,
    signature:
      '94eb0ae0069459bae7e748c109c6955a6d2d0c87b0a239c269970dbf3ec359292f4f74abf1c63915eb01e453aa0e5ee5',
  },
} as const

/** The published beacon used by tests of whole rounds. */
export const BEACON_1000 = {
  ...DRAND_QUICKNET.beacons[0],
  randomness: DRAND_QUICKNET.randomnessOf1000,
}

/**
 * bustabit's published outcomes: r is the first 52 bits of HMAC-SHA256 (key: the salt as text,
 * message: the game's hash as 32 bytes), the edge 1 %. The multipliers are in hundredths.
 */
export const BUSTABIT = {
  salt: '0000000000000000004d6ec16dafe9d8370958664c1dc422f452892264c59526',
  games: [
    { hash: '6f3f5aa2e07bf2399eec022cdb8b177fe61c7711276bfdf080a9b9e7404b2edc', crash: 293 },
    { hash: 'b2acd37fbdb5509926ab5d7329704c840f8467266c90019682f3b260a029bdba', crash: 126 },
  ],
} as const

/** A 32-byte message of NIST's CAVP byte-test vectors for SHA-256 (SHA256ShortMsg, Len = 256). */
export const SHA256_OF_32_BYTES = {
  message: '09fc1accc230a205e4a208e64a8f204291f581a12756392da4b8c0cf5ef02b95',
  digest: '4f44c1c7fbebb6f9601829f3897bfd650c56fa07844be76489076356ac1886a4',
} as const

/** HMAC-SHA256 test cases 1, 2 and 6 of RFC 4231: those whose data is text. */
export const RFC_4231 = [
  {
    key: '0b'.repeat(20),
    data: 'Hi There',
    digest: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: '4a656665',
    data: 'what do ya want for nothing?',
    digest: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    key: 'aa'.repeat(131),
    data: 'Test Using Larger Than Block-Size Key - Hash Key First',
    digest: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
] as const
