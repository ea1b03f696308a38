import { htmlText } from '../core/names.ts';
import { sha256 } from '../core/sha256.ts';
import { PAGE_STYLE } from './page-style.ts';

/**
 * A page that is one file: no network, no script. The policy allows its own style by its hash and nothing else, so that
 * whatever a log smuggled in could do nothing.
 * @param body markup, in which every text from a log is escaped by `htmlText` already
 */
export function htmlPage(title: string, body: string): string {
  const policy = `default-src 'none'; style-src 'sha256-${base64(sha256(new TextEncoder().encode(PAGE_STYLE)))}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${htmlText(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
