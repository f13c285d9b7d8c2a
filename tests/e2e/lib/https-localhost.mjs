// Preloaded into the conformance suite, so that it can speak to the real TLS listener. Two of its
// scenarios assume plain http; nothing else is changed, and the certificate stays checked.
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

// dns-rebinding-protection sends `Host: evil.example.com`, and the suite's HTTP client then expects
// that name in the certificate too. The connection goes to localhost, so that is the name to check.
const { checkServerIdentity } = tls;
tls.checkServerIdentity = (host, certificate) =>
  checkServerIdentity(host === 'evil.example.com' ? 'localhost' : host, certificate);

// http-header-validation takes host and port from the URL, but always uses the plain http module.
const { request } = http;
http.request = (options, ...rest) =>
  options?.hostname === 'localhost' && options.protocol === undefined
    ? https.request(options, ...rest)
    : request(options, ...rest);
