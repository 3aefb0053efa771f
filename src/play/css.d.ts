/** Styles are bundled into the page's one style sheet. */
declare module '*.css'
