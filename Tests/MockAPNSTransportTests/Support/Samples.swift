/// Keys and a signature made with the openssl command for these tests only; nothing else trusts them.
enum Samples {
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTYq/J1rvjZoP+wNd
        nrZHxt6zlw6+H7OflSVARJQeTT6hRANCAASo/bD6OwFaJqE4kxVJkzDFRlDIM2DT
        kz87rH803I1m1ssrJTI4bo1wlk0PtVV5OrlI14r9Nmf541WOEXiovfvO
        -----END PRIVATE KEY-----

        """

    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIE2Kvyda742aD/sDXZ62R8bes5cOvh+zn5UlQESUHk0+oAoGCCqGSM49
        AwEHoUQDQgAEqP2w+jsBWiahOJMVSZMwxUZQyDNg05M/O6x/NNyNZtbLKyUyOG6N
        cJZND7VVeTq5SNeK/TZn+eNVjhF4qL37zg==
        -----END EC PRIVATE KEY-----

        """

    static let sec1WithParameters = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIE2Kvyda742aD/sDXZ62R8bes5cOvh+zn5UlQESUHk0+oAoGCCqGSM49
        AwEHoUQDQgAEqP2w+jsBWiahOJMVSZMwxUZQyDNg05M/O6x/NNyNZtbLKyUyOG6N
        cJZND7VVeTq5SNeK/TZn+eNVjhF4qL37zg==
        -----END EC PRIVATE KEY-----

        """

    static let spki = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqP2w+jsBWiahOJMVSZMwxUZQyDNg
        05M/O6x/NNyNZtbLKyUyOG6NcJZND7VVeTq5SNeK/TZn+eNVjhF4qL37zg==
        -----END PUBLIC KEY-----

        """

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAqx+RFce/1RMr2XQF0
        cLueMkqL3Efv4jZ5m+1Wf/1FHyV2+cHCx0xAl2AqLgBTOP2hZANiAARAqEX//Esi
        nZaYYCOI3PogRhVn8RUraY11HBuu+hvhfO/eWqGKgnkXMvwUZ26d6WfFNnKwMDYi
        b0neOElIFEc564lTKONQz/spNo6f2HgAHfVwsoFTCkPLCQRrGoslju4=
        -----END PRIVATE KEY-----

        """

    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIICcwIBADANBgkqhkiG9w0BAQEFAASCAl0wggJZAgEAAoGBAJ0yalzCWP4MYJr7
        kkgM6oa9BPV06Jn3C3WvwMTwsj/5qoNdBhy5beVcTepvR6kYmdmoCUgIDhLqh7/m
        0N1vwjk+Bp3lDCKQN6XEuo8pnrbWZzw4OIWDILsftWX+xaq/oRzWwj71RYtffht0
        vMvxHy4bDeHuAXvwEIU7Vo/XbtDjAgMBAAECf3NwkquMDc6DSG6IUOSYl6JbLUkU
        kbx/r+q9JtN5720L7CyMI/D0O8A0CQQgtH95kYJF5IsBX1SE5ywGVVxItlgskPs7
        WGmQhr8ahHXEKrmmsZ1G72aMd7tPOvdxTNGBt3EvYOnPjCZxaXBTNu5tf3JgeYVB
        Q1os+45EulGDaeECQQDJCmi3q9lEllWQeg+1BkA65rnycW/e4hYE9/O0/csuGMN2
        7gJGLzLG3qbazKLZ9aT2YWdHvQCoz+gPtOeDAYs9AkEAyCun1chCnA3TbnIdBs5D
        HEsKe39abfS7MfDQsOgy5TrNQMEKCw46ptYVo/EsTQu/yC9XnQe9Z3orzqZOIQwO
        nwJALlq3EHqQSy86pWhvjLbXQn2GrG8Zc1O/7f9Z8wZ9vbA6CYcRgStK0u3tnQ+I
        ESeBlMmarcDXkRT3FgAJTXyipQJANHhVD1HmO/fX01ywRSduKg11mvfAIZCEPUwN
        uEG1jacDRJUVZ957+12k4IuIfE23IOdgBPaRbH123D11v23kqwJAWZNNwTiz0WHI
        owjEclON7XSg/2QrhMEHRo2e80KGvD/YG7B8hE+wUpNWwLTc5PYVSpKs8N9GJnCQ
        605lbGq31g==
        -----END PRIVATE KEY-----

        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEICSkkTtESlaze9thjchVdMNBA86KXokkw0Bx+9ZqOF4u
        -----END PRIVATE KEY-----

        """

    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg2EI4Xysy0jgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKVt5xcroXI9X4i8Lg2I0ZMEgZA9
        F4QXWrcpaPoqJ/oYE5v4Ousx3K8uEaHAefL0RVKFmbJ/+0WSowWV4CQ9fTVxlEYN
        jsvg9ipg3OWUTEbRg7UFOCUV4m9P6rZcAUGpLcFC+MrgZwtdYKUjwXrmt1csRNv5
        0mHV7aEo6CSSX137Ykqi+I7kO4kdMGvzKcuq0SFe+0o1wKlO6b7cnVWKaBqIUo4=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// Of `header.claims`, as `openssl dgst -sha256 -sign` writes it: DER.
    static let signature: [UInt8] = [
        0x30, 0x46, 0x02, 0x21, 0x00, 0xFB, 0x3C, 0x48, 0x2A, 0xC3, 0xC0, 0x81, 0xF6, 0x77, 0xE8, 0xF6,
        0x82, 0x17, 0x60, 0x3F, 0xA3, 0x62, 0x31, 0xE9, 0xB6, 0x84, 0x9B, 0xCE, 0x75, 0xBE, 0x50, 0x35,
        0xFE, 0x08, 0x1E, 0x37, 0x65, 0x02, 0x21, 0x00, 0xCC, 0x8F, 0xC6, 0x7F, 0x06, 0x52, 0xE1, 0xD9,
        0x8A, 0xC2, 0xF5, 0x5B, 0xFB, 0x80, 0x6A, 0xFF, 0x41, 0x8B, 0x4D, 0x48, 0x07, 0xBE, 0x8F, 0xF0,
        0x31, 0x32, 0x37, 0x18, 0xE6, 0x50, 0x22, 0xF4,
    ]
}
