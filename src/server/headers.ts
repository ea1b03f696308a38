/**
 * What every answer carries, of whatever route and status: pages may load nothing from elsewhere and stand in no frame,
 * and no other site may read an answer or have the browser guess what it is.
 */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers that change from one moment to the next are not cached. */
export const NOT_KEPT = 'no-store';
