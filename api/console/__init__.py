"""The console: pages for people, rendered here, that use the same REST interface as everyone else.

Owns logins of browsers, what a browser may send, the pages and their files. Must not know how anything is stored or
computed: pages ask the same stores as the routes do, and scripts in pages ask the routes.
"""
